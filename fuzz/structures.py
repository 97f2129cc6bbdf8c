"""Covers, trees, degrees of membership, and clusters at two times, in files odd and damaged.

What these are against themselves is known, and what labels are that are written as one of them.
"""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from fuzz.cases import Case, Kind, Verdict, failed
from fuzz.exact import MEASURES, card_fault, exact_values
from fuzz.grammar import (
    DAMAGE,
    WRITERS,
    Columns,
    Drawn,
    Expected,
    columns_of,
    counts_of,
    delimited,
    matrix_file,
    npy_header,
)
from fuzz.rooms import Job, Room, run_command

# Values of two that are the same.
SAME_COVERS = dict.fromkeys((
    "best_match_f1_truth", "best_match_f1_pred", "best_match_f1", "overlapping_nmi_lfk",
    "overlapping_nmi_max", "extended_bcubed_precision", "extended_bcubed_recall",
    "extended_bcubed_f1", "overlapping_element_centric", "omega_index", "omega_unadjusted",
), 1.0)  # fmt: skip
SAME_TREES = dict.fromkeys((
    "cophenetic_correlation", "bakers_gamma", "normalized_hierarchical_mutual_information",
    "hierarchical_element_centric",
), 1.0) | dict.fromkeys(("robinson_foulds", "normalized_robinson_foulds"), 0.0)  # fmt: skip
SAME_DEGREES = dict.fromkeys(
    ("ndc", "adjusted_concordance", "ndc_jaccard", "ndc_dice", "ndc_fowlkes_mallows"), 1.0
)
# Measures of covers and of degrees, and what they are for labels.
OF_COVERS = {"omega_index": "adjusted_rand", "omega_unadjusted": "rand"}
OF_DEGREES = {
    "ndc": "rand", "fuzzy_rand": "rand", "fuzzy_adjusted_rand": "adjusted_rand",
    "soft_variation_of_information": "variation_of_information",
}  # fmt: skip
# Digits that sums of shares keep.
SLACK = 1e-9
FORMATS = ("csv", "csv", "csv", "tsv", "json", "jsonl", "parquet", "arrow", "feather")
JSON = ("-f", "json")


@dataclass(frozen=True)
class Asked:
    """A command over files, and what is known about its answer.

    `wanted` has values by measure, `counts` a table whose scores are known, and `labels` what is
    written to a file; `check` says what is looked at. `aim` is the file that may be damaged.
    """

    argv: list[str]
    files: dict[str, bytes]
    expected: Expected
    how: str
    wanted: dict[str, float | None] = field(default_factory=dict)
    counts: list[list[int]] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    check: str = "scores"
    aim: str = ""

    def worse(self, expected: Expected, how: str, **parts: Any) -> Asked:
        """Return the command with other parts, about which less is known."""
        return replace(self, expected=expected, how=f"{self.how}, {how}", **parts)


def _shuffled(rng: random.Random, items: list[Any]) -> list[Any]:
    return rng.sample(items, len(items))


# Covers

# How objects are called, in a way that is the same text in every format.
OBJECTS: tuple[Callable[[int], Any], ...] = (
    "o{}".format, "Ω {}".format, "a,b{}".format, 'q"{}"'.format, "x{}".format, "{}'s".format, int,
)  # fmt: skip
ODD_OBJECTS: tuple[Callable[[int], Any], ...] = (
    "{:03}".format, "{}.0".format, "0x{:x}".format, "1e{}".format, "-{}".format, " {}".format,
    "nan{}".format, "\u202e{}".format, float, lambda k: k + 2**62, lambda k: k > 2,
    lambda k: ["nan", "NA", "", "None", "-inf", "NULL", "-1"][k % 7],
)  # fmt: skip


def _edges(rng: random.Random, name: Callable[[int], Any], most: int) -> list[tuple[Any, Any]]:
    """Draw objects and their groups; at least one object has a group."""
    groups = [f"g{k}" for k in range(rng.randint(1, 5))]
    found: list[tuple[Any, Any]] = []
    for k in range(rng.randint(2, 25)):
        own = rng.sample(groups, min(len(groups), rng.randint(not found, most)))
        found += [(name(k), group) for group in own] or [(name(k), None)]
    return found


def _edge_file(form: str, rows: list[tuple[Any, ...]]) -> bytes:
    titles = ("object", "group", "other")[: len(rows[0])]
    return WRITERS[form](dict(zip(titles, map(list, zip(*rows, strict=True)), strict=True)))


def _cover(rng: random.Random) -> Asked:
    """Draw a cover in two files, in other orders, formats and words for its groups."""
    odd = rng.random() < 0.15
    name = rng.choice(ODD_OBJECTS if odd else OBJECTS)
    rows = _edges(rng, name, rng.choice((1, 3)))
    other = [(item, group and f"new {group}") for item, group in _shuffled(rng, rows)]
    trouble = rng.choice(("", "", "", *COVER_TROUBLES))
    if trouble:
        other = COVER_TROUBLES[trouble](rng, other)
    sides = [f"{name}.{rng.choice(FORMATS)}" for name in ("truth", "pred")]
    files = {
        side: _edge_file(side.partition(".")[2], held)
        for side, held in zip(sides, (rows, other), strict=True)
    }
    expected: Expected = "refused" if trouble in SURE else "any" if odd or trouble else "right"
    asked = ["score", *sides, "--cover", *JSON]
    wanted = SAME_COVERS if expected == "right" else {}
    return Asked(asked, files, expected, f"cover, {trouble}", dict(wanted), aim=sides[1])


def _one_wider(rng: random.Random, rows: list[Any]) -> list[Any]:
    return [(*row, rng.randrange(3)) for row in rows]


COVER_TROUBLES: dict[str, Callable[[random.Random, list[Any]], list[Any]]] = {
    "a row twice": lambda rng, rows: [
        *rows, rng.choice([row for row in rows if row[1] is not None])],
    "a row without an object": lambda rng, rows: [*rows, (None, "g0")],
    "three columns": _one_wider,
    "one column": lambda rng, rows: [row[:1] for row in rows],
    "other objects": lambda rng, rows: [(f"other {item}", group) for item, group in rows],
    "a row without a group": lambda rng, rows: [*rows, (rows[0][0], None)],
    "no groups": lambda rng, rows: [(item, None) for item, _ in rows],
    "fewer rows": lambda rng, rows: rows[: rng.randint(1, len(rows))],
    "groups of numbers": lambda rng, rows: [(item, rng.choice((0, 1, 2**62))) for item, _ in rows],
    "one group": lambda rng, rows: [(item, "g") for item in dict(rows)],
    "groups of one": lambda rng, rows: [(item, f"g {item}") for item in dict(rows)],
}  # fmt: skip
SURE = {"a row twice", "a row without an object", "three columns", "one column", "other objects"}


def _cover_columns(rng: random.Random) -> Asked:
    """Draw a cover in a table, twice; a pair may stand in several rows there."""
    rows = [(*row, row[1] and f"new {row[1]}") for row in _edges(rng, rng.choice(OBJECTS), 3)]
    rows += rng.choices(rows, k=rng.choice((0, 3)))
    name = f"table.{rng.choice(FORMATS)}"
    asked = ["score", name, "--cover", "--id", "object", "-t", "group", "-p", "other", *JSON]
    files = {name: _edge_file(name.partition(".")[2], _shuffled(rng, rows))}
    return Asked(asked, files, "right", "cover in a table", dict(SAME_COVERS), aim=name)


def _cover_of_labels(rng: random.Random) -> Asked:
    """Draw two clusterings as covers, whose omega index is the adjusted Rand index."""
    columns = columns_of(rng, "plain", rng.randint(2, 40), ("y", "c"))
    exact = exact_values(counts_of(columns["y"], columns["c"]))
    objects = list(range(len(columns["y"])))
    sides = {"true.csv": columns["y"], "pred.csv": columns["c"]}
    files = {name: delimited({"object": objects, "group": side}) for name, side in sides.items()}
    wanted = {key: exact[value] for key, value in OF_COVERS.items()}
    return Asked(["score", *files, "--cover", *JSON], files, "right", "labels as a cover", wanted)


# Trees

Node = tuple[Any, int]  # a leaf or a list of nodes, and the length of the branch above it
TITLES: tuple[Callable[[int], str], ...] = (
    "t{}".format, "{}".format, "'a b{}'".format, "'it''s {}'".format, "Ω{}".format,
    '"d""q {}"'.format, "'(,:;[{}'".format, "<b>{}".format, "a{}_b|c".format,
)  # fmt: skip


def _tree(rng: random.Random, leaves: list[str]) -> Node:
    """Draw a tree in which every node has two branches or more."""
    if len(leaves) == 1:
        return leaves[0], rng.randint(1, 9)
    cuts = sorted(rng.sample(range(1, len(leaves)), min(len(leaves) - 1, rng.choice((1, 1, 2)))))
    ends = zip([0, *cuts], [*cuts, len(leaves)], strict=True)
    return [_tree(rng, leaves[first:last]) for first, last in ends], rng.randint(1, 9)


def _written(rng: random.Random, node: Node, lengths: bool, decorated: bool) -> str:
    """Return a node as Newick text, its branches in any order."""
    held, length = node
    blank = rng.choice(("", "", " ", "\n", "[a, [b]; (c)]")) if decorated else ""
    after = f":{blank}{length}" if lengths else ""
    if isinstance(held, str):
        return f"{blank}{held}{after}"
    parts = [_written(rng, child, lengths, decorated) for child in _shuffled(rng, held)]
    name = rng.choice(("", "inner", "'0.9'", "95")) if decorated else ""
    return f"{blank}({','.join(parts)}){name}{after}"


def _clades(node: Node) -> list[frozenset[str]]:
    """Return the leaves below each inner node, the root last."""
    held, _ = node
    if isinstance(held, str):
        return []
    inner = [clade for child in held for clade in _clades(child)]
    return [*inner, frozenset(_leaves(node))]


def _leaves(node: Node) -> list[str]:
    held, _ = node
    return [held] if isinstance(held, str) else [leaf for child in held for leaf in _leaves(child)]


def _newick(rng: random.Random) -> Asked:
    """Draw a tree against itself, or against another one over its leaves."""
    title = rng.choice(TITLES)
    leaves = [title(k) for k in range(rng.randint(2, 20))]
    one = other = _tree(rng, leaves)
    lengths = rng.random() < 0.6
    wanted: dict[str, float | None] = dict(SAME_TREES)
    if rng.random() < 0.4:
        other = _tree(rng, _shuffled(rng, leaves))
        wanted = {"robinson_foulds": float(len({*_clades(one)} ^ {*_clades(other)}))}
    texts = [_written(rng, tree, lengths, rng.random() < 0.5) + ";" for tree in (one, other)]
    expected: Expected = "right"
    how = "newick"
    if rng.random() < 0.45:
        trouble = rng.choice(list(NEWICK_TROUBLES))
        texts[1], expected = NEWICK_TROUBLES[trouble](rng, texts[1], leaves)
        how, wanted = f"newick, {trouble}", {}
    names = ["one.nwk", rng.choice(("two.nwk", "two.newick", "two.tre", "two.txt"))]
    files = {name: text.encode() for name, text in zip(names, texts, strict=True)}
    return Asked(["score", *names, "--tree", *JSON], files, expected, how, wanted, aim=names[1])


def _cut_text(rng: random.Random, text: str, leaves: list[str]) -> tuple[str, Expected]:
    return text[: rng.randrange(len(text))], "refused"


def _length_of(values: tuple[str, ...], expected: Expected) -> Callable[..., tuple[str, Expected]]:
    """Return what gives all branches a length, and one of them an odd one."""

    def give(rng: random.Random, text: str, leaves: list[str]) -> tuple[str, Expected]:
        odd = rng.randrange(len(leaves))
        parts = [f"{leaf}:{rng.choice(values) if k == odd else 1}" for k, leaf in enumerate(leaves)]
        return f"({','.join(parts)});", expected

    return give


def _nested(rng: random.Random, text: str, leaves: list[str]) -> tuple[str, Expected]:
    """Return a tree that is as deep as it has leaves, or deeper."""
    depth = rng.choice((100, 2_000, 100_000))
    if rng.random() < 0.5:
        return "(" * depth + ",".join(leaves) + ")" * depth + ";", "any"
    most = min(depth, 3_000)
    return "(" * most + "x" + "".join(f",{k})" for k in range(most)) + ";", "any"


def _put_in(rng: random.Random, text: str, leaves: list[str]) -> tuple[str, Expected]:
    place = rng.randrange(len(text) + 1)
    value = rng.choice((
        "(", ")", ",", ":", ";", "'", '"', "[", "]", "[[", "::", "(,)", "\x00", "\u202e", "()",
        ":1:2", ":1e5", "''", "\ufeff", "(" * 10_000, "[" * 10_000, "'" * 9_999, "x" * 100_000,
    ))  # fmt: skip
    return text[:place] + value + text[place:], "any"


NEWICK_TROUBLES: dict[str, Callable[..., tuple[str, Expected]]] = {
    "cut": _cut_text,
    "deep": _nested,
    "odd text": _put_in,
    "huge lengths": _length_of(("1e308", "1e400", "1e9999", "9" * 400, "1e-400", "0", "1e-9999",
                                "１", ".5", "5.", "+1", "1_000", "0x10", "1e99999"), "any"),
    "no lengths": _length_of(("-1", "-1e-9", "nan", "inf", "x", "1,5x", "--1", "'1'", ""),
                             "refused"),
    "a length missing": lambda rng, text, leaves: (
        f"({leaves[0]},{leaves[1]}:1);", "refused"),
    "two trees": lambda rng, text, leaves: (text * 2, "refused"),
    "a leaf twice": lambda rng, text, leaves: (f"({leaves[0]},{text[:-1]},{leaves[0]});",
                                               "refused"),
    "a leaf without a name": lambda rng, text, leaves: (f"(,{text[:-1]});", "refused"),
    "one leaf": lambda rng, text, leaves: (f"{leaves[0]};", "refused"),
    "other leaves": lambda rng, text, leaves: (f"({text[:-1]},other);", "refused"),
    "a flat tree": lambda rng, text, leaves: (f"({','.join(leaves)});", "any"),
}  # fmt: skip


def _merges(rng: random.Random, leaves: int) -> list[list[float]]:
    """Draw a linkage matrix of scipy."""
    nodes, sizes = list(range(leaves)), dict.fromkeys(range(leaves), 1)
    heights = sorted(round(rng.uniform(0, 9), rng.choice((0, 3))) for _ in range(leaves - 1))
    found: list[list[float]] = []
    for made, height in enumerate(heights, leaves):
        pair = rng.sample(nodes, 2)
        nodes = [node for node in nodes if node not in pair] + [made]
        sizes[made] = sizes[pair[0]] + sizes[pair[1]]
        found.append([*pair, height, sizes[made]])
    return found


def _linkage(rng: random.Random) -> Asked:
    """Draw a linkage matrix against itself."""
    rows = _merges(rng, rng.randint(2, 20))
    turned = [[*_shuffled(rng, row[:2]), *row[2:]] for row in rows]
    expected: Expected = "right"
    how, wanted = "linkage", dict(SAME_TREES)
    names = ["one.npy", rng.choice(("two.npy", "two.npy", "two.csv", "two.tsv", "two.parquet"))]
    trouble = rng.choice(("", "", *LINKAGE_TROUBLES))
    if trouble:
        turned, expected = LINKAGE_TROUBLES[trouble](rng, turned)
        how, wanted = f"linkage, {trouble}", {}
    if rng.random() < 0.12:
        content, names[1], expected, wanted = _odd_matrix(rng, rows), "two.npy", "any", {}
        how = "linkage of another shape or type"
    elif names[1] == "two.npy":
        content = matrix_file(turned)
    else:
        titles = ("one", "other", "height", "size", "more")[: len(turned[0])]
        columns = dict(zip(titles, map(list, zip(*turned, strict=True)), strict=True))
        content = WRITERS[names[1].partition(".")[2]](columns)
    files = {names[0]: matrix_file(rows), names[1]: content}
    asked = ["score", *names, "--tree", *JSON]
    if rng.random() < 0.15:
        files["table.csv"] = delimited({"y": [rng.randrange(3) for _ in range(len(rows) + 1)]})
        asked = ["tree", "table.csv", "-t", "y", "--linkage", names[1], *JSON]
        wanted = {}
    return Asked(asked, files, expected, how, dict(wanted), aim=names[1])


def _set(column: int, *values: float) -> Callable[..., Any]:
    """Return what puts a value into a column of one row."""

    def put(rng: random.Random, rows: list[list[float]]) -> tuple[list[list[float]], Expected]:
        place = rng.randrange(len(rows))
        changed = [*rows[place]]
        changed[column] = rng.choice(values)
        return [*rows[:place], changed, *rows[place + 1 :]], "refused"

    return put


def _cycle(rng: random.Random, rows: list[list[float]]) -> tuple[list[list[float]], Expected]:
    place = rng.randrange(len(rows))
    changed = [len(rows) + 1 + place, *rows[place][1:]]  # the node that the row makes
    return [*rows[:place], changed, *rows[place + 1 :]], "refused"


NAN, INFINITE = float("nan"), float("inf")
LINKAGE_TROUBLES: dict[str, Callable[..., Any]] = {
    "no nodes": _set(0, -1, NAN, INFINITE, 0.5, 2.0**53, 1e300),
    "heights that are none": _set(2, NAN),
    "sizes that are none": _set(3, NAN, -1, 0, INFINITE, 1e300),
    "a cycle": _cycle,
    "a node twice": lambda rng, rows: ([[row[0], row[0], *row[2:]] for row in rows], "refused"),
    "rows twice": lambda rng, rows: (rows * 2, "refused"),
    "three columns": lambda rng, rows: ([row[:3] for row in rows], "refused"),
    "five columns": lambda rng, rows: ([[*row, 1.0] for row in rows], "refused"),
    "odd heights": lambda rng, rows: (
        [[*row[:2], rng.choice((-1.0, 0.0, 1e308, -1e308, INFINITE, 5e-324)), row[3]]
         for row in rows], "any"),
    "two columns": lambda rng, rows: ([row[:2] for row in rows], "any"),
    "fewer rows": lambda rng, rows: ([[0.0, 1.0, 1.0, 2.0]], "any"),
}  # fmt: skip


def _odd_matrix(rng: random.Random, rows: list[list[float]]) -> bytes:
    """Draw an NPY file of another shape or type than a linkage matrix has."""
    if rng.random() < 0.5:
        shape = rng.choice(("(5, 0)", "(0, 4)", "(0, 2)", "(4,)", "()", "(2, 2, 2)", "(1, 4)",
                            "(3, 4)", "(0,)", "(1, 1)", "(2, 0, 4)", "(2, 4)"))  # fmt: skip
        return npy_header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}",
                          bytes(rng.choice((0, 32, 64, 96))))  # fmt: skip
    import numpy as np

    kind = rng.choice(("f4", ">f8", "i1", "u8", "c16", "S8", "U8", "f2", "?", "M8[s]", "m8[s]"))
    return matrix_file(np.array(rows).astype("i8").astype(kind))


def _levels(rng: random.Random) -> Asked:
    """Draw nested labels against themselves."""
    fine = [rng.randrange(6) for _ in range(rng.randint(2, 40))]
    columns: Columns = {"coarse": [f"c{k // 3}" for k in fine], "fine": [f"f{k}" for k in fine]}
    columns |= {f"{name} again": [f"{x}!" for x in columns[name]] for name in ("coarse", "fine")}
    name = f"table.{rng.choice(FORMATS)}"
    sides = ["-t", "coarse", "-t", "fine", "-p", "coarse again", "-p", "fine again"]
    expected, wanted = "right", dict(SAME_TREES)
    trouble = rng.random()
    if trouble < 0.15 and len(set(fine)) > 1 and len(set(columns["coarse"])) > 1:
        sides, expected, wanted = ["-t", "fine", "-t", "coarse", *sides[4:]], "any", {}
    elif trouble < 0.3:
        columns["fine again"][0] = None
        expected, wanted = "refused", {}
    elif trouble < 0.4:
        sides, expected, wanted = [*sides[:4], *sides[:4]], "any", {}
    files = {name: WRITERS[name.partition(".")[2]](columns)}
    asked = ["score", name, "--tree", *sides, *JSON]
    return Asked(asked, files, expected, "nested labels", dict(wanted), aim=name)  # type: ignore[arg-type]


# Degrees of membership


def _shares(rng: random.Random, rows: int, width: int) -> list[list[float]]:
    """Draw degrees that sum to 1 without rounding."""
    found = []
    for _ in range(rows):
        cuts = sorted(rng.randint(0, 16) for _ in range(width - 1))
        ends = zip([0, *cuts], [*cuts, 16], strict=True)
        found.append([(last - first) / 16 for first, last in ends])
    return found


def _degree_file(name: str, columns: Columns) -> bytes:
    return WRITERS[name.partition(".")[2]](columns)


def _degrees(rng: random.Random) -> Asked:
    """Draw degrees of membership against the same ones in another order of clusters."""
    rows, width = rng.randint(1, 30), rng.randint(1, 5)
    shares = _shares(rng, rows, width)
    order = _shuffled(rng, list(range(width)))
    columns: Columns = {"y": [rng.choice("abc") for _ in range(rows)]}
    columns |= {f"p{k}": [row[k] for row in shares] for k in range(width)}
    columns |= {f"q{k}": [row[place] for row in shares] for k, place in enumerate(order)}
    name = f"table.{rng.choice(FORMATS)}"
    asked = ["score", name, "--memberships", "p*", "--true-memberships", "q*", *JSON]
    expected: Expected = "right"
    how, wanted = "degrees", dict(SAME_DEGREES)
    trouble = rng.choice(("", "", *DEGREE_TROUBLES))
    if trouble:
        values, expected = DEGREE_TROUBLES[trouble]
        column = columns[f"p{rng.randrange(width)}"]
        column[rng.randrange(rows)] = rng.choice(values)
        if any(isinstance(x, str) for x in column):
            column[:] = map(str, column)
        how, wanted = f"degrees, {trouble}", {}
    if rng.random() < 0.3 and expected != "right":
        asked = ["score", name, "--memberships", "p*", *rng.choice((["-t", "y"], [])), *JSON]
    if rng.random() < 0.2 and expected != "right":
        asked.append("--normalize")
        expected = "any"
    return Asked(asked, {name: _degree_file(name, columns)}, expected, how, dict(wanted), aim=name)


DEGREE_TROUBLES: dict[str, tuple[tuple[Any, ...], Expected]] = {
    "negative": ((-0.5, -1e-9, -1e300), "refused"),
    "no numbers": ((None, NAN, INFINITE, -INFINITE), "refused"),
    "a sum that is not 1": ((2.5, 1.5, 1e300), "refused"),
    "nearly 1": ((5e-324, 1e-9, 0.0, 1.0), "any"),
    "text": (("x", "", "½", "1,0"), "any"),
}


def _degrees_of_labels(rng: random.Random) -> Asked:
    """Draw clusters as degrees of 1, or as multiples of these, which have known scores."""
    columns = columns_of(rng, "plain", rng.randint(2, 40), ("y", "c"))
    truth, pred = columns["y"], columns["c"]
    often = rng.random() < 0.5
    sizes = [rng.choice((0.25, 3, 1e-3, 1e6)) if often else 1 for _ in pred]
    held: Columns = {"y": truth}
    for name in dict.fromkeys(pred):
        held[f"p {name}"] = [x * (c == name) for c, x in zip(pred, sizes, strict=True)]
    name = f"table.{rng.choice(FORMATS)}"
    counts = counts_of(truth, pred)
    asked = ["score", name, "--memberships", "p *", "-t", "y", *JSON]
    asked += ["--normalize"] if often else []
    files = {name: _degree_file(name, held)}
    if rng.random() < 0.5:
        asked += ["-m", ",".join(MEASURES)]
        return Asked(asked, files, "right", "labels as degrees", counts=counts, aim=name)
    exact = exact_values(counts)
    wanted = {key: exact[value] for key, value in OF_DEGREES.items()}
    asked += ["-m", ",".join(wanted)]
    return Asked(asked, files, "right", "labels as degrees", wanted, aim=name)


# Times, and clusters with the names of others


def _times(rng: random.Random) -> Asked:
    """Draw clusters at two times that have other names only: each is kept."""
    labels = [rng.randrange(rng.randint(1, 5)) for _ in range(rng.randint(1, 60))]
    again = [f"new {x}" for x in labels]
    columns: Columns = {"id": [f"o{k}" for k in range(len(labels))], "a": labels, "b": again}
    name = f"table.{rng.choice(FORMATS)}"
    form = name.partition(".")[2]
    how = rng.choice(("table", "files", "long", "new"))
    expected: Expected = "right"
    if how == "table":
        files = {name: WRITERS[form](columns)}
        asked = ["drift", name, "--labels", "a,b"]
    elif how == "long":
        rows = _shuffled(rng, [(o, t, x) for t, side in (("1", labels), ("2", again))
                               for o, x in zip(columns["id"], side, strict=True)])  # fmt: skip
        long = dict(zip(("id", "t", "c"), map(list, zip(*rows, strict=True)), strict=True))
        long["c"] = list(map(str, long["c"]))
        files = {name: WRITERS[form](long)}
        asked = ["drift", name, "--labels", "c", "--by", "t", "--id", "id"]
    else:
        order = _shuffled(rng, list(range(len(labels))))
        other = {"id": [columns["id"][k] for k in order], "c": [again[k] for k in order]}
        if how == "new":
            other["c"] = [labels[k] for k in order]
        files = {
            "first.csv": delimited({"id": columns["id"], "c": labels}),
            name: WRITERS[form](other),
        }
        asked = ["drift", "first.csv", name, "--labels", "c"]
        asked += ["--objects", "new"] if how == "new" else ["--id", "id"]
    if rng.random() < 0.3:
        expected = "any"
        asked += rng.choice((
            ["--confidence", "0"], ["--confidence", "nan"], ["--objects", "new"], ["--by", "a"],
            ["--objects", "same"], ["--features", "a"], ["--how", "knn"], ["--metric", "gower"],
            ["--by-row"], ["--standardize"], ["--seed", "7"], ["--report", "../out/r.html"],
        ))  # fmt: skip
    check = "shares" if how == "new" else "kept"
    return Asked([*asked, *JSON], files, expected, f"times, {how}", check=check, aim=name)


def _renamed(rng: random.Random) -> Asked:
    """Draw clusters that have other names than the classes only, which are written by theirs."""
    labels = [f"k{rng.randrange(4)}" for _ in range(rng.randint(2, 40))]
    names = _shuffled(rng, list(range(4)))
    columns: Columns = {"y": labels, "c": [names[int(x[1])] for x in labels]}
    name = f"table.{rng.choice(FORMATS)}"
    files = {name: WRITERS[name.partition(".")[2]](columns)}
    asked = ["score", name, "-t", "y", "-p", "c", "-m", "rand", "--aligned", "../out/aligned.csv"]
    if rng.random() < 0.5:
        asked = ["compare", name, "--aligned", "../out/aligned.csv", "--align-to", "y"]
    return Asked([*asked, *JSON], files, "right", f"renamed, {asked[0]}", labels=labels,
                 check="aligned", aim=name)  # fmt: skip


# Points


def _points(rng: random.Random) -> Asked:
    """Draw points of which some numbers are odd, to look at or to cluster often."""
    rows = rng.choice((1, 2, 3, 12, 40))
    columns: Columns = {
        name: [round(rng.gauss(0, 1), 3) + 50 * (k % 2) for k in range(rows)] for name in "ab"
    }
    columns["c"] = [k % 2 for k in range(rows)]
    expected: Expected = "any"
    check, how = "scores", rng.choice(("", "", *POINT_TROUBLES))
    if how:
        column = columns[rng.choice("ab")]
        column[:] = POINT_TROUBLES[how](rng, column)
    name = f"points.{rng.choice(FORMATS)}"
    features = ["--features", "a,b"]
    number = rng.choice(("2", "2", "1", "0", "99"))
    judged = ["stability", name, *features, "--k", number, "--samples", "4", "-e", "ward"]
    if not how and rows == 40 and number == "2":
        expected, check = "right", "stable"
    asked = rng.choice((
        judged, judged, [*judged, "--pred", "c"], ["tendency", name, *features],
        ["tendency", name, *features, "--standardize", "--metric", "cosine"],
        ["drift", name, name, *features, "--labels", "c"],
    ))  # fmt: skip
    if asked[0] != "stability":
        expected, check = "any", "scores"
    if expected == "any":
        asked = [*asked, *rng.choice(([], ["--metric", "gower"], ["--how", "jitter"],
                                      ["--standardize"], ["--how", "knn"]))]  # fmt: skip
    files = {name: WRITERS[name.partition(".")[2]](columns)}
    return Asked([*asked, *JSON], files, expected, f"points, {how}", check=check, aim=name)


POINT_TROUBLES: dict[str, Callable[[random.Random, list[Any]], list[Any]]] = {
    "all the same": lambda rng, column: [1.5] * len(column),
    "no number": lambda rng, column: [rng.choice((None, NAN)), *column[1:]],
    "infinite": lambda rng, column: [*column[1:], INFINITE],
    "huge": lambda rng, column: [x * 1e307 for x in column],
    "tiny": lambda rng, column: [x * 1e-320 for x in column],
    "far away": lambda rng, column: [x + 1e17 for x in column],
    "text": lambda rng, column: [f"w{x > 0}" for x in column],
    "whole": lambda rng, column: [2**62 + int(x) for x in column],
    "none at all": lambda rng, column: [None] * len(column),
}


DRAWS: tuple[Callable[[random.Random], Asked], ...] = (
    _cover, _cover, _cover_columns, _cover_of_labels, _newick, _newick, _newick, _linkage, _linkage,
    _levels, _degrees, _degrees, _degrees_of_labels, _times, _times, _renamed, _points, _points,
)  # fmt: skip


def draw(rng: random.Random) -> Case:
    """Draw a command over covers, trees, degrees, times or points."""
    found = rng.choice(DRAWS)(rng)
    if found.aim and rng.random() < 0.15:
        found = _damaged(rng, found)
    recipe = {
        "argv": found.argv,
        "expected": found.expected,
        "how": found.how,
        "wanted": found.wanted,
        "counts": found.counts,
        "labels": found.labels,
        "check": found.check,
        "allowed": [part[3:] for part in found.argv if part.startswith("../out/")],
    }
    return Case("structures", recipe, found.files)


def _damaged(rng: random.Random, found: Asked) -> Asked:
    """Return a command with damage to one of its files."""
    whole = Drawn(found.aim, found.files[found.aim], "", "", [], "any", "")
    if not whole.content:
        return found
    spoilt = rng.choice(DAMAGE)(rng, whole)
    files = {name: content for name, content in found.files.items() if name != found.aim}
    argv = [spoilt.name if part == found.aim else part for part in found.argv]
    # The damage of tables is known for tables alone, unless it is to a packed file.
    expected: Expected = "refused" if spoilt.expected == "refused" else "any"
    return found.worse(expected, spoilt.how, files=files | {spoilt.name: spoilt.content},
                       argv=argv, wanted={}, counts=[], labels=[])  # fmt: skip


def run(case: Case, room: Room) -> Verdict:
    """Run the command, and hold its answer against what is known about it."""
    recipe = case.recipe
    verdict, ran = run_command(room, case, Job(recipe["argv"]), recipe["allowed"])
    if verdict.failed:
        return verdict
    how, expected = recipe["how"], recipe["expected"]
    if verdict.outcome == "refused":
        if expected == "right":
            return failed(f"refused what is in order ({how}): {ran.err.strip()[:200]}",
                          verdict.shown)  # fmt: skip
        return verdict
    if expected == "refused":
        return failed(f"answered from what is none: {how}", verdict.shown)
    if expected != "right":
        return verdict
    try:
        fault = _fault(recipe, room, ran.out)
    except (ValueError, KeyError, TypeError, IndexError, OSError) as error:
        fault = f"the answer cannot be read: {type(error).__name__}: {error}"
    return failed(f"wrong answer: {fault} ({how})", verdict.shown) if fault else verdict


def _fault(recipe: dict[str, Any], room: Room, text: str) -> str:
    """Return what is wrong with an answer; nothing if nothing is."""
    check = recipe["check"]
    if check == "aligned":
        with (room.outputs / "aligned.csv").open(encoding="utf-8", newline="") as stream:
            return _aligned_fault(list(csv.reader(stream)), recipe["labels"])
    answer = json.loads(text)
    if check == "kept":
        kinds = {event["kind"] for event in answer["events"]}
        return "" if kinds == {"kept"} else f"clusters are {', '.join(sorted(kinds))}, not kept"
    if check == "shares":
        gap = answer["divergence"]
        return "" if abs(gap) <= SLACK else f"the same shares are {gap} apart"
    if check == "stable":
        values = [cluster["jaccard"] for cluster in answer["clusters"]]
        return "" if values == [1.0, 1.0] else f"two clear clusters have the stability {values}"
    if recipe["counts"]:
        return card_fault(text, recipe["counts"])
    if not recipe["wanted"]:
        return ""
    held = {score["measure"]: score["value"] for score in answer["scores"]}
    for key, wanted in recipe["wanted"].items():
        if key not in held:
            return f"there is no {key}"
        value = held[key]
        if (value is None) != (wanted is None) or (
            wanted is not None and abs(value - wanted) > SLACK * max(1.0, abs(wanted))
        ):
            return f"{key} is {value}, not {wanted}"
    return ""


def _aligned_fault(lines: list[list[str]], labels: list[str]) -> str:
    """Return what is wrong with clusters by the names of classes, or by one number for all."""
    titles, *rows = lines
    if len(rows) != len(labels):
        return f"{len(rows)} objects are aligned, not {len(labels)}"
    if titles == ["c"]:
        wrong = [(row[0], label) for row, label in zip(rows, labels, strict=True) if row != [label]]
        return f"a cluster is called {wrong[0][0]}, not {wrong[0][1]}" if wrong else ""
    numbers = dict(zip(labels, rows, strict=True))
    alike = all(
        row == numbers[label] and row[0] == row[1] for row, label in zip(rows, labels, strict=True)
    )
    return "" if alike else "labelings that are the same are aligned to different numbers"


def smaller(case: Case) -> Iterator[Case]:
    """Yield command lines with fewer options."""
    argv = case.recipe["argv"]
    kept = ("-t", "-p", "-f", "--id", "--labels", "--memberships", "--true-memberships")
    for place in range(2, len(argv)):
        if argv[place].startswith("-") and argv[place] not in kept:
            for size in (2, 1):
                yield case.having(argv=argv[:place] + argv[place + size :])


KIND = Kind("structures", 12, draw, run, smaller)
