"""Covers, trees and memberships in files, judged as `judge` judges them in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clustervet._memory import memory_limit as limited
from clustervet.contingency import Contingency
from clustervet.contingency.tables import Tables
from clustervet.errors import ClustervetError, FileError, LabelError, ParameterError, Setting
from clustervet.frames import Source, open_table
from clustervet.frames.places import is_many
from clustervet.frames.remarks import header_remark
from clustervet.hierarchical.files import read_tree_file
from clustervet.hierarchical.hierarchy import Hierarchy
from clustervet.labels import consecutive, plain_label, read_labels, show_label
from clustervet.labels.pair import Missing
from clustervet.overlapping import Cover
from clustervet.registry import Kind
from clustervet.registry import measures as registry
from clustervet.scorecard.card import ScoreCards
from clustervet.scorecard.internal import internal_scores
from clustervet.scorecard.judge import judged
from clustervet.scorecard.judgement import Judgement
from clustervet.scorecard.pairs import judge_pairs
from clustervet.scorecard.questions import Questions
from clustervet.soft import Memberships, SoftPair
from clustervet.soft.memberships import memberships_of
from clustervet.view.words import names

Named = Mapping[str, Any]
# Which of the options that `score_files` takes go with which kind of input.
USED: dict[str, frozenset[str]] = {
    "cover": frozenset({"truth", "pred", "id", "engine", "measures", "family"}),
    "tree": frozenset({"truth", "pred", "missing", "measures", "family"}),
    "memberships": frozenset(
        {
            *("truth", "memberships", "true_memberships", "normalize", "measures", "family"),
            *("weights", "noise", "missing", "features", "exclude", "standardize", "metric"),
        }
    ),
}
UNUSED = {"metric": "euclidean", "missing": "raise"}
SHARED = (
    "These measures score the table of summed degrees; measures of the family soft compare the "
    "degrees of each object."
)


def judge_others(
    what: str,
    files: Sequence[str],
    given: Mapping[str, Any],
    asking: Mapping[str, Any],
    also: Sequence[str],
    reading: Named,
) -> Judgement:
    """Score covers, trees or memberships in files; `given` are the other options by name."""
    for name, value in given.items():
        if name not in USED[what] and value and value != UNUSED.get(name):
            raise ParameterError(Setting(name), " does not go with ", Setting(what), ".")
    measures = None if given["measures"] is None else [*given["measures"], *also]
    truths, preds = given["truth"], given["pred"]

    def questions(kind: Kind) -> Questions:
        return Questions.of(measures, given["family"], kind=kind, **asking)

    if what == "tree":
        asked = questions("hierarchical")
        return judge_tree_files(files, truths, preds, asked, reading, given["missing"])
    if what == "cover":
        asked = questions("overlapping")
        return judge_cover_files(files, truths, preds, given["id"], asked, reading)
    return _judge_memberships(files, given, questions(_membership_kind(given)), reading)


def judge_tree_files(
    files: Sequence[str],
    truths: Sequence[str],
    preds: Sequence[str],
    asked: Questions,
    reading: Named,
    missing: Missing,
) -> Judgement:
    """Score trees against the first one, or one table's nested labels against others of it."""
    if len(files) > 1:
        if truths or preds:
            raise ParameterError(
                Setting("tree"), " with several files takes one tree from each; name no columns."
            )
        trees = [read_tree_file(path, reading["array"], reading["memory_limit"]) for path in files]
        return judge_pairs(trees[0], _by_file(files[1:], trees[1:]), asked)
    if not truths or not preds:
        raise ParameterError(
            Setting("tree"),
            " compares two files with a tree each, or nested labels in one table, whose columns ",
            Setting("truth"),
            " and ",
            Setting("pred"),
            " name from coarse to fine.",
        )
    source = open_table(files[0], **reading)
    columns = source.labels([*dict.fromkeys([*truths, *preds])])
    try:
        sides = [
            Hierarchy({name: columns[name] for name in side}, missing=missing)
            for side in (truths, preds)
        ]
    except ClustervetError as error:
        raise FileError(f"{source.name}: ", *error.parts) from None
    return judge_pairs(sides[0], {",".join(preds): sides[1]}, asked)


def judge_cover_files(
    files: Sequence[str],
    truths: Sequence[str],
    preds: Sequence[str],
    id: str | None,
    asked: Questions,
    reading: Named,
) -> Judgement:
    """Score groups that may overlap: one object and one of its groups per row.

    Files have a cover each, the first of them the truth; one table has a column of objects and one
    of groups for the truth and for each prediction.
    """
    if len(truths) > 1:
        raise ParameterError(Setting("cover"), " goes with one ", Setting("truth"), ".")
    if len(files) == 1:
        if id is None or not truths or not preds:
            raise ParameterError(
                Setting("cover"),
                " compares two files of objects and their groups, or columns of one table: name "
                "the objects with ",
                Setting("id"),
                ", and groups with ",
                Setting("truth"),
                " and ",
                Setting("pred"),
                ".",
            )
        if truths[0] in preds:
            raise ParameterError(
                Setting("pred"), " names ", show_label(truths[0]), ", which is the truth."
            )
        headed: list[tuple[str, _Edges]] = []  # one table has names for its columns
        source = open_table(files[0], **reading)
        truth = _edges(source, id, truths[0])
        found = {name: _edges(source, id, name) for name in preds}
    else:
        sources = [open_table(path, **reading) for path in files]
        read = [
            _edges(source, *_two_columns(source, id, preds if place else truths), alone=True)
            for place, source in enumerate(sources)
        ]
        truth, found = read[0], _by_file(files[1:], read[1:])
        headed = list(zip(files, read, strict=True))
        for source, side in zip(sources[1:], read[1:], strict=True):
            _check_shared(truth, side, sources[0].name, source.name)
    every = list(dict.fromkeys(name for side in (truth, *found.values()) for name in side.names))
    made = {name: side.cover(every) for name, side in found.items()}
    answer = judge_pairs(truth.cover(every), made, asked)
    said = [header_remark(path, side.head) for path, side in headed if side.head]
    return replace(answer, remarks=(*answer.remarks, *said))


class _Edges(NamedTuple):
    """One object and one of its groups per membership, and all objects of a file.

    `head` is the name of the column of groups where a group is called so too.
    """

    objects: NDArray[Any]
    groups: NDArray[Any]
    names: list[Any]
    head: str = ""

    def cover(self, every: list[Any]) -> Cover:
        """Return the groups; objects that only others have are in none."""
        return Cover.from_edges(self.objects, self.groups, every)


def _edges(source: Source, id: str, group: str, *, alone: bool = False) -> _Edges:
    """Return objects and groups, each pair once; an object without a group has none.

    In a file `alone` names are text, since other files may write them in another type, and a pair
    in two rows is refused; in a table with other columns it has two rows where these differ.
    """
    (found,) = source.groups([(id, group)])
    if found is None:  # only where a limit was given
        raise FileError(f"{source.name} has too many groups.")
    left, right = (read_labels(found.keys[name], name) for name in (id, group))
    if left.missing is not None and left.missing.any():
        raise FileError(f"{source.name} has a row without a value in {show_label(id)!r}.")
    own, distinct = consecutive(left)
    names = [plain_label(name) for name in left.restore(distinct)]
    held = np.ones(len(own), bool) if right.missing is None else ~right.missing
    if not held.any():
        return _Edges(np.empty(0, object), np.empty(0, object), names)
    codes, kinds = consecutive(right.keep(held))
    titles = [plain_label(title) for title in right.restore(kinds)]
    if alone:
        names = [str(name) for name in names]
    # A group of rows may come in parts.
    pairs, part = np.unique(own[held].astype(np.int64) * len(kinds) + codes, return_inverse=True)
    times = np.bincount(part, np.asarray(found.counts)[held])
    rows, columns = np.divmod(pairs, len(kinds))
    if alone and (times > 1).any():
        twice = int(times.argmax())
        raise FileError(
            f"{source.name} has object {show_label(names[rows[twice]])!r} more than once in group "
            f"{show_label(titles[columns[twice]])!r}; a group has an object once."
        )
    head = group if group in map(str, titles) else ""
    return _Edges(_taken(names, rows), _taken(titles, columns), names, head)


def _taken(names: list[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """Names at places, of whatever type."""
    held = np.empty(len(names), object)
    held[:] = names
    return held[places]


def _check_shared(truth: _Edges, pred: _Edges, first: str, second: str) -> None:
    """Refuse files that are of different objects."""
    if set(truth.names).isdisjoint(pred.names):
        one, two = (show_label(side.names[0], 40) for side in (truth, pred))
        raise FileError(
            f"{first} and {second} have no object in common: the first has {one!r}, and the second "
            f"{two!r}."
        )


def _two_columns(source: Source, key: str | None, wanted: Sequence[str]) -> tuple[str, str]:
    """Return the columns of objects and of groups; two columns need no names."""
    columns = list(source.columns)
    if len(wanted) > 1:
        raise ParameterError(
            f"each file has one column of groups; {names(wanted)} are {len(wanted)}."
        )
    rest = [name for name in columns if name not in (key, *wanted)]
    if key is None and len(rest) == 2 - len(wanted):
        key, *rest = rest
    if key is not None and not wanted and len(rest) == 1:
        wanted = rest
    if key is None or not wanted:
        raise ParameterError(
            f"{source.name} has {'the column' if len(columns) == 1 else 'the columns'} "
            f"{names(columns)}; name the objects with ",
            Setting("id"),
            ", and the groups with ",
            Setting("truth"),
            " in the first file and ",
            Setting("pred"),
            " in others.",
        )
    return key, wanted[0]


def _by_file(files: Sequence[str], made: Sequence[Any]) -> dict[str, Any]:
    """Return what files hold by their names without folders, where these differ."""
    stems = [Path(path).stem if path != "-" else "standard input" for path in files]
    keys = stems if len(set(stems)) == len(stems) else list(files)
    if len(set(keys)) < len(keys):
        raise ParameterError("the same file is named twice among the predictions.")
    return dict(zip(keys, made, strict=True))


def _judge_memberships(
    files: Sequence[str], given: Mapping[str, Any], asked: Questions, reading: Named
) -> Judgement:
    """Score memberships against classes, against other memberships, or against features."""
    _check_memberships(files, given, asked)
    truths, normalize = given["truth"], given["normalize"]
    source = open_table(files[0], **reading)
    with limited(reading["memory_limit"]):
        table = source.features(given["memberships"], truths)
        classes = table.labels(truths[0]) if truths else None
        try:
            pred = Memberships(table.matrix, names=table.feature_names, normalize=normalize)
            if asked.kind == "external":
                weights = given["weights"]
                held = None if weights is None else source.features([weights]).matrix[:, 0]
                policies = {"noise": given["noise"], "missing": given["missing"]}
                shared = Contingency.from_memberships(
                    classes, table.matrix, weights=held, normalize=normalize, **policies
                )
                found = judged(Tables.of(shared), asked)
                drawn = dict.fromkeys(found.scores, _drawn(classes, pred))
                said = (*found.remarks, SHARED) if given["measures"] is None else found.remarks
                return replace(found, pairs=drawn, remarks=said)
            if asked.kind == "soft_internal":
                return _judge_inner(source, pred, given, asked)
            if given["true_memberships"]:
                other = source.features(given["true_memberships"])
                known = other.feature_names
                truth = Memberships(other.matrix, names=known, normalize=normalize)
                return judge_pairs(truth, pred, asked)
            labelled = memberships_of(classes, f"column {show_label(truths[0])!r}", False)
            return judge_pairs(labelled, pred, asked)
        except LabelError as error:
            raise FileError(f"{source.name}: ", *error.parts) from None


def _judge_inner(
    source: Source, pred: Memberships, given: Mapping[str, Any], asked: Questions
) -> Judgement:
    """Score memberships by how sharp they are, and how they fit features where these are named."""
    points = None
    if given["features"]:
        outside = [*map(str, pred.names), *given["exclude"]]
        points = source.features(given["features"], outside).matrix
    inner = internal_scores(
        points,
        pred,
        given["metric"],
        measures=asked.measures,
        family=asked.family,
        standardize=given["standardize"],
    )
    return Judgement(inner=ScoreCards({"pred": inner}), pairs={"pred": pred})


def _drawn(classes: Any, pred: Memberships) -> SoftPair | Memberships:
    """Return memberships with the classes, or alone where an object has no class."""
    try:
        return SoftPair(Memberships.from_labels(classes), pred)
    except LabelError:
        return pred


def _check_memberships(files: Sequence[str], given: Mapping[str, Any], asked: Questions) -> None:
    """Refuse options that this kind of scores does not take."""
    soft = Setting("memberships")
    if len(files) != 1 or is_many(files[0]):
        raise ParameterError(
            soft, " goes with one table that has all columns and is read into memory."
        )
    if len(given["truth"]) > 1:
        raise ParameterError(soft, " goes with one ", Setting("truth"), ".")
    if given["truth"] and given["true_memberships"]:
        raise ParameterError(Setting("true_memberships"), " goes without ", Setting("truth"), ".")
    inner = {"features", "exclude", "standardize", "metric"}
    taken = {"soft_internal": inner, "external": {"weights", "noise", "missing"}}
    for name in sorted((inner | {"weights", "noise", "missing"}) - taken.get(asked.kind, set())):
        value = given[name]
        if value and value != UNUSED.get(name):
            known = " and a truth." if asked.kind != "soft_internal" else " without a truth."
            raise ParameterError(Setting(name), " does not go with ", soft, known)
    for name, value in (("confidence", asked.confidence), ("chance", asked.chance)):
        if asked.kind == "soft_internal" and value is not None:
            raise ParameterError(Setting(name), " goes with a truth.")
        if asked.kind == "external" and value is not None:
            degrees = " goes with measures of degrees: add ", Setting("family", "soft"), "."
            raise ParameterError(Setting(name), " with ", soft, *degrees)


def _membership_kind(given: Mapping[str, Any]) -> Kind:
    """Return what memberships are scored by: a table of shares, soft measures, or the points.

    Classes make a table, unless soft measures are asked for.
    """
    if given["true_memberships"]:
        return "soft"
    if not given["truth"]:
        return "soft_internal"
    family = given["family"]
    kinds = {record.kind for record in registry.select(given["measures"] or [])}
    kinds |= {record.kind for record in registry.select(family=family)} if family else set()
    return "soft" if "soft" in kinds else "external"
