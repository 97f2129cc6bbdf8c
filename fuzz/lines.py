"""Hostile command lines: every command and every option, as the command line itself lists them."""

from __future__ import annotations

import functools
import itertools
import json
import os
import random
from collections.abc import Iterator, Mapping
from typing import Any

from fuzz.cases import Case, Kind, Verdict, failed
from fuzz.forged import honest
from fuzz.grammar import WRITERS, Columns, columns_of, delimited, matrix_file
from fuzz.rooms import Job, Room, run_command

HOSTILE = (
    *("", " ", "-", "--", "0", "1", "2", "-1", "nan", "inf", "-inf", "1e400", "1e-400", "0.5"),
    *("99999999999999999999", "-99999999999999999999", "0x10", "１", "½", "1_000", "+1", "1e2"),
    *("\u202e", "a\nb", "'", '"', "../../x", "/", "~", "*", "[", "a,b", ",", "=", "a=", "=a", "=="),
    *("x" * 5000, "{}", "%s", "$HOME", "\udcff", "é", "None", "true", "y", "c", "drop", "all"),
    *("1..", "..", "2..1", "1..2..0", "1..99999999", "1GB", "0GB", "-1GB", "nan GB", "os:system"),
    *("json", "table", "a:b", ":", "sys:exit", "\x1b[31m", "<script>", "{{7*7}}", "\u2028"),
)
# Values that have a meaning, by option; drawn as often as hostile ones.
MEANT: dict[str, tuple[str, ...]] = {
    "--truth": ("y", "c", "nothing"),
    "--pred": ("c", "y", "x1", "nothing"),
    "--labels": ("y,c", "4", "y", "a0,a1", "half,part", "../out/labels.csv"),
    "--label": ("y", "c"),
    "--measures": ("vi,ari", "rand", "all", "silhouette", "no_such"),
    "--measure": ("vi", "mirkin", "rand", "no_such", "os:path", "plain:thing"),
    "--family": ("pairs", "information", "no_such"),
    "--format": ("json", "csv", "markdown", "latex", "table"),
    "--noise": ("drop", "keep", "singletons", "a=drop", "-1=keep", "2..3"),
    "--missing": ("drop", "class", "raise"),
    "--weights": ("x1", "x3", "y"),
    "--delimiter": (",", ";", "\\t", "ab", "\t"),
    "--confidence": ("0.95", "1", "0.0001"),
    "--resamples": ("1", "50"),
    "--chance": ("sizes", "number", "all", "all_one_sided"),
    "--features": ("x1,x2", "x*", "y", "no*"),
    "--exclude": ("x1", "y", "no*"),
    "--metric": ("cosine", "manhattan", "euclidean", "hamming", "mahalanobis", "jaccard", "gower"),
    "--sample": ("5", "30", "100000"),
    "--array": ("x", "y"),
    "--id": ("id", "y", "object"),
    "--by": ("time", "y", "c", "half"),
    "--memberships": ("p*", "p1,p2", "p1", "x*", "y"),
    "--true-memberships": ("q*", "q1,q2", "p*", "y"),
    "--aligned": ("../out/aligned.csv", "../out/aligned.json"),
    "--align-to": ("a0", "a3", "no_such"),
    "--objects": ("../out/objects.csv", "same", "new"),
    "--centres": ("medoids", "consensus"),
    "--weight": ("a0=2", "a0=0", "a0=-1", "a0=nan", "no_such=1"),
    "--groups": ("2", "4", "5"),
    "--nearest": ("2",),
    "--within": ("0.5", "0"),
    "--how": ("subset", "bootstrap", "jitter", "centroid", "knn", "average"),
    "--share": ("0.5", "0.05", "1"),
    "--samples": ("1", "4"),
    "--sampling": ("uniform", "size", "predicted", "x3", "x1"),
    "--pairs": ("pairs.csv", "other.csv", "no.csv"),
    "--width": ("0.1", "0.0001", "1"),
    "--memory-limit": ("1GB", "100MB", "1MB", "1kB"),
    "--engine": ("duckdb", "polars", "dask", "tcp://127.0.0.1:1", "sc://127.0.0.1:1"),
    "--output": ("../out/a.json", "../out/a.csv", "../out/a.md", "../out/a.tex", "../out/a"),
    "--report": ("../out/r.html", "../out/r.md", "../out/r.json", "../out/r.pdf"),
    "--consensus": ("../out/consensus.csv",),
    "--predictions": ("../out/predictions.csv",),
    "--journal": ("../out/run.db", "table.csv", "/"),
    "--query": ("other.csv", "table.csv", "no.csv"),
    "--linkage": ("merges.csv", "merges.npy", "table.csv", "points.csv", "one.nwk", "no.csv"),
    "--cut": ("../out/cut.csv",),
    "--estimator": ("kmeans", "ward", "dbscan", "sklearn.cluster:KMeans", "os:getcwd"),
    "--parameter": ("eps", "n_clusters", "no_such", "tol"),
    "--values": ("0.5,1", "2..3", "0.1..0.3..0.1"),
    "--algorithms": ("kmeans", "spherical", "kmeans,ward", "no_such", "2"),
    "--language": ("simple", "auto", "mixture", "no_such"),
    "--weighting": ("tfidf", "counts", "none"),
    "--theme": ("dark", "light"),
    "--property": ("metric", "no_such"),
    "--need": ("metric", "chance-adjusted"),
    "--data": (".", "no"),
    "--sets": ("a,b",),
    "--text": ("y", "c"),
}
# What a command needs so that it has a quick right answer without any option more.
BASE: dict[str, list[str]] = {
    "score": ["table.csv", "-t", "y", "-p", "c"],
    "measures": [],
    "demo": [],
    "tune": ["points.csv", "--k", "2..3"],
    "select": ["table.csv", "-l", "y", "--k", "2", "--runs", "2", "-a", "kmeans"],
    "benchmark": [".", "-l", "y", "--runs", "2", "-a", "kmeans,ward"],
    "bound": ["table.csv", "-t", "y", "-p", "c"],
    "estimate": ["table.csv", "-t", "y", "-p", "c", "--sample", "clusters"],
    "compare": ["labels.csv"],
    "drift": ["labels.csv", "--labels", "a0,a1"],
    "stability": ["points.csv", "--k", "2", "--samples", "4"],
    "tendency": ["points.csv"],
    "tree": ["nested.csv", "-t", "y"],
    "lab desiderata": ["-m", "vi", "--classes", "5", "--useful", "2..3", "--noise", "0..1"],
    "lab dom": ["-m", "vi"],
    "lab axioms": ["-m", "vi", "-p", "metric"],
    "lab advise": ["-n", "metric"],
    "lab text": ["--data", ".", "--k", "2", "--runs", "1"],
    "report": ["table.csv", "-t", "y", "-p", "c", "-o", "../out/page.html"],
    "table build": ["table.csv", "-t", "y", "-p", "c", "-o", "../out/t.json"],
    "table merge": ["saved.json", "-o", "../out/m.json"],
}
# Other calls with a quick right answer: of other kinds of files, to which other options belong.
OTHERWISE: dict[str, tuple[list[str], ...]] = {
    "score": (
        ["groups.csv", "others.csv", "--cover"],
        ["overlaps.csv", "--cover", "--id", "object", "-t", "group", "-p", "other"],
        ["one.nwk", "two.nwk", "--tree"],
        ["merges.npy", "merges.csv", "--tree"],
        ["nested.csv", "--tree", "-t", "half", "-t", "part", "-p", "half"],
        ["soft.csv", "--memberships", "p*", "-t", "y"],
        ["soft.csv", "--memberships", "p*", "--true-memberships", "q*"],
        ["soft.csv", "--memberships", "x*", "--true-memberships", "p*", "--normalize"],
        ["soft.csv", "--memberships", "p*", "--features", "x*"],
        ["table.csv", "-t", "y", "-p", "c", "--aligned", "../out/aligned.csv"],
        ["table.csv", "-t", "y", "-p", "c", "--diagnose", "--objects", "../out/objects.csv"],
        ["long.csv", "-t", "y", "-p", "c", "--by", "time", "--id", "id"],
    ),
    "compare": (
        ["labels.csv", "--aligned", "../out/aligned.csv", "--align-to", "a1"],
        ["long.csv", "--by", "time", "--id", "id", "-l", "c"],
    ),
    "estimate": (
        ["table.csv", "-t", "y", "-p", "c", "--sample", "objects"],
        ["table.csv", "-p", "c", "--sample", "pairs", "--pairs", "pairs.csv", "--id", "id"],
    ),
    "drift": (
        ["table.csv", "other.csv", "--id", "id", "--labels", "c"],
        ["table.csv", "other.csv", "--labels", "c", "--objects", "new"],
        ["table.csv", "points.csv", "--features", "x1,x2", "--labels", "c"],
        ["long.csv", "--by", "time", "--id", "id", "--labels", "c"],
    ),
    "stability": (["table.csv", "--pred", "c", "--k", "3", "--samples", "4", "-e", "ward"],),
    "tree": (["table.csv", "-t", "y", "--linkage", "merges.npy"],),
}
WEIGHTS = {
    "score": 9, "compare": 3, "drift": 3, "stability": 2, "report": 2, "tune": 2, "select": 2,
    "bound": 2, "estimate": 2,
}  # fmt: skip
# They reach for the network, or do for long what they are asked to do.
LEFT_OUT = {
    "--fetch", "--fresh", "--install-completion", "--show-completion", "--help", "warmup",
}  # fmt: skip
# Many are a long time's work and no mistake.
LABORIOUS = {
    "--runs", "--bootstrap", "--starts", "--resamples", "--k", "--values", "--classes",
    "--useful", "--noise", "-n", "--shares", "--error-useful", "--error-noise",
    "--samples",
}  # fmt: skip
SOURCES = (
    "table.csv", "labels.csv", "points.csv", "other.csv", "saved.json", "table.parquet",
    "table.npz", "table.jsonl", "table.arrow", "no.csv", ".", "/dev/null", "-", "link.csv",
    "*.csv", "t*.csv", "[", "", "loop", "dangling", "../in/table.csv", "hard.csv", "x" * 300,
    "groups.csv", "one.nwk", "merges.npy", "soft.csv", "long.csv", "nested.csv",
)  # fmt: skip
OUTPUTS = {
    "--output", "--report", "--consensus", "--predictions", "--labels", "-o", "--journal", "--cut",
    "--aligned", "--objects",
}  # fmt: skip


@functools.cache
def options_of() -> dict[str, list[tuple[str, bool]]]:
    """Return the options of every command, and whether each takes a value."""
    import typer

    from clustervet.cli.app import app

    found: dict[str, list[tuple[str, bool]]] = {}

    def walk(command: Any, name: str) -> None:
        for sub, inner in sorted(getattr(command, "commands", {}).items()):
            walk(inner, f"{name} {sub}".strip())
        if not hasattr(command, "commands") and name not in LEFT_OUT:
            found[name] = [
                (flag, not option.is_flag)
                for option in command.params
                if option.param_type_name == "option"
                for flag in (*option.opts, *option.secondary_opts)
                if flag not in LEFT_OUT and flag != "-h"
            ]

    walk(typer.main.get_command(app), "")
    return found


def _value(rng: random.Random, flag: str) -> str:
    meant = MEANT.get(flag, ())
    if meant and rng.random() < 0.6:
        return rng.choice(meant)
    value = rng.choice(HOSTILE)
    long = value in ("99999999999999999999", "1..99999999", "1e2")
    return rng.choice(("1", "0", "-1", "nan", "x")) if flag in LABORIOUS and long else value


def draw(rng: random.Random) -> Case:
    """Draw a command with options, right and wrong, over files that are all in order."""
    commands = options_of()
    command = rng.choices(list(commands), [WEIGHTS.get(c, 1) for c in commands])[0]
    calls = [BASE.get(command, []), *OTHERWISE.get(command, ())]
    argv = [*command.split(), *rng.choice(calls)]
    for _ in range(rng.choice((0, 1, 1, 2, 2, 3, 5))):
        flag, takes = rng.choice(commands[command] or [("--none", False)])
        argv += [flag, _value(rng, flag)] if takes else [flag]
    if rng.random() < 0.25:  # another file, perhaps one more
        places = [k for k, part in enumerate(argv) if part in SOURCES]
        if places and rng.random() < 0.7:
            argv[places[0]] = rng.choice(SOURCES)
        else:
            argv.insert(len(command.split()), rng.choice(SOURCES))
    if rng.random() < 0.1:
        del argv[rng.randrange(len(argv))]
    if rng.random() < 0.05:
        argv.insert(rng.randrange(len(argv) + 1), rng.choice(HOSTILE))
    if rng.random() < 0.12:  # an output onto an input, or two outputs into one file
        flags = [f for f, takes in commands[command] if f in output_flags(command) and takes]
        flags = [flag for flag in flags if flag != "-o"]
        targets = ("table.csv", "link.csv", "hard.csv", "./table.csv", "../in/table.csv",
                   "points.csv", "labels.csv", "saved.json", "../out/same.json")  # fmt: skip
        target = rng.choice(targets)
        for flag in rng.sample(flags, min(len(flags), rng.choice((1, 2)))):
            argv += [flag, target]
    if any("\0" in part for part in argv):
        return draw(rng)
    return Case("lines", {"argv": argv}, _inputs(rng.getrandbits(16)))


@functools.lru_cache(maxsize=64)
def _inputs(seed: int) -> dict[str, bytes]:
    rng = random.Random(seed % 8)
    columns = columns_of(rng, "plain", 24, ("y", "c"))
    labels = {f"a{k}": [rng.randrange(3) for _ in range(20)] for k in range(4)}
    points = {name: columns[name] for name in ("x1", "x2")}
    weights = [abs(x) + 0.1 for x in columns["x1"]]
    saved = json.dumps(honest([[5, 1], [2, 7]]))
    nested = {"y": columns["y"], "half": [k // 12 for k in range(24)],
              "part": [k // 4 for k in range(24)]}  # fmt: skip
    chain = {"one": [0, *range(24, 46)], "other": list(range(1, 24))}
    merges = chain | {"height": list(range(23)), "size": list(range(2, 25))}
    rows = [(f"o{k % 9}", f"g{k // 6}", f"h{k % 3}") for k in range(18)]
    titles = ("object", "group", "other")
    overlaps = dict(zip(titles, map(list, zip(*rows, strict=True)), strict=True))
    groups = {name: overlaps[name] for name in ("object", "group")}
    others = {"object": overlaps["object"][:9], "group": overlaps["other"][:9]}
    shares = [rng.randrange(9) / 8 for _ in range(48)]
    soft = {"y": columns["y"], "p1": shares[:24], "p2": [1 - x for x in shares[:24]],
            "q1": shares[24:], "q2": [1 - x for x in shares[24:]]}  # fmt: skip
    soft |= {name: [abs(x) + 0.1 for x in columns[name]] for name in ("x1", "x2")}
    long = {"id": [*range(24)] * 2, "time": ["a"] * 24 + ["b"] * 24, "y": columns["y"] * 2,
            "c": columns["c"] + columns["y"]}  # fmt: skip
    pairs: Columns = {"left": [0, 1, 2], "right": [4, 5, 6], "same": ["yes", "no", "yes"]}
    return {
        "table.csv": delimited({"id": list(range(24))} | columns | {"x3": weights}),
        "other.csv": delimited({"id": list(range(24)), "c": labels["a0"] + [0] * 4}),
        "labels.csv": delimited(labels),
        "points.csv": delimited(points),
        "nested.csv": delimited(nested),
        "merges.csv": delimited(merges),
        "merges.npy": matrix_file(list(zip(*merges.values(), strict=True))),
        "one.nwk": b"(((a:1,b:1):1,c:2):1,(d:1,e:1):2);",
        "two.nwk": b"((a:1,(b:1,c:1):1):1,d:3,'e':3);",
        "groups.csv": delimited(groups),
        "others.csv": delimited(others),
        "overlaps.csv": delimited(overlaps),
        "soft.csv": delimited(soft),
        "long.csv": delimited(long),
        "pairs.csv": delimited(pairs),
        "saved.json": saved.encode(),
        **{
            f"table.{form}": WRITERS[form](columns) for form in ("parquet", "npz", "jsonl", "arrow")
        },
        "link.csv": b"symlink:table.csv",
        "hard.csv": b"hardlink:table.csv",
        "loop": b"symlink:loop",
        "dangling": b"symlink:nowhere",
    }


def output_flags(command: str) -> set[str]:
    """Return the options of a command that name outputs."""
    found = OUTPUTS if command == "tune" else OUTPUTS - {"--labels"}  # elsewhere it names columns
    return found - {"--objects"} if command == "drift" else found  # there they are same or new


def outputs_of(argv: list[str]) -> list[tuple[str, str]]:
    """Return the options of a command that name outputs, with their files."""
    short = {"-o": "--output"}
    flags = output_flags(argv[0])
    found = [
        (short.get(flag, flag), value)
        for flag, value in itertools.pairwise(argv)
        if flag in flags and value not in ("", "-")
    ]
    # An option that is given twice has its last value.
    return list(dict(found).items())


def run(case: Case, room: Room) -> Verdict:
    """Run the command line; an output must never replace an input or another output."""
    argv = case.recipe["argv"]
    outputs = outputs_of(argv) if argv else []
    targets = [place_of(target, case.files) for _, target in outputs]
    used = _used(argv, case.files)
    # Of two hard links to a file that is no input, the one that is named may be replaced.
    named = [os.path.normpath(os.path.join("in", name)) for _, name in outputs]
    pairs = zip(named, targets, strict=True)
    allowed = [place for pair in pairs if pair[1] not in used for place in pair]
    verdict, ran = run_command(room, case, Job(argv), allowed)
    if verdict.failed or ran.code:
        return verdict
    if taken := used & {*targets}:
        return failed(f"an output in the place of the input {sorted(taken)[0]}", verdict.shown)
    if len(set(targets)) < len(targets):
        return failed(f"two outputs in one file: {sorted(outputs)}", verdict.shown)
    return verdict


def place_of(name: str, files: Mapping[str, bytes]) -> str:
    """Return where a name leads to, relative to the room and behind links."""
    place = os.path.normpath(os.path.join("in", name))
    content = files.get(place.removeprefix("in/"), b"")
    kind, colon, target = content.partition(b":")
    if colon and kind in (b"symlink", b"hardlink") and target != os.fsencode(name):
        return place_of(os.fsdecode(target), files)
    return place


def _used(argv: list[str], files: Mapping[str, bytes]) -> set[str]:
    """Return the files that a command may read: all of them where it has a pattern or a folder."""
    flags = output_flags(argv[0] if argv else "")
    pairs = itertools.pairwise(["", *argv])
    read = [part for before, part in pairs if before not in flags]
    if any(part in (".", "*", "[") or "*" in part for part in read):
        return {place_of(name, files) for name in files}
    return {place_of(part, files) for part in read} & {place_of(name, files) for name in files}


def smaller(case: Case) -> Iterator[Case]:
    """Yield command lines without one or two of their parts."""
    argv = case.recipe["argv"]
    for size in (2, 1):
        for place in range(1, len(argv)):
            yield case.having(argv=argv[:place] + argv[place + size :])


KIND = Kind("lines", 18, draw, run, smaller)
