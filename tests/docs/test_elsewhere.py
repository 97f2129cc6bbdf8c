"""docs/elsewhere.toml: what other libraries call our measures, and what differs."""

from __future__ import annotations

import math
import tomllib
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import clustervet as cv

TOML = Path(__file__).parents[2] / "docs" / "elsewhere.toml"
LIBRARIES: dict[str, dict[str, Any]] = {
    library["key"]: library
    for library in tomllib.loads(TOML.read_text(encoding="utf-8"))["library"]
}
PYTHON = ["scikit-learn", "clusim", "genieclust"]
# Numbers of classes and clusters, and the share of objects whose cluster follows from their class.
# Some functions of genieclust want equal numbers.
KINDS = [(3, 5, 0.5), (6, 3, 0.5), (4, 4, 0.5), (5, 5, 0.1)]
OBJECTS = 60

Names = dict[str, Any]
Row = Mapping[str, str]

everywhere = pytest.mark.parametrize("key", LIBRARIES)
in_python = pytest.mark.parametrize("key", PYTHON)
elsewhere = pytest.mark.parametrize("key", [key for key in LIBRARIES if key not in PYTHON])


def _case(classes: int, clusters: int, share: float) -> Names:
    """Labels and points, under the names that calls use."""
    rng = np.random.default_rng([classes, clusters])
    truth = rng.permutation(np.arange(OBJECTS) % classes)
    other = rng.permutation(np.arange(OBJECTS) % clusters)
    pred = np.where(rng.random(OBJECTS) < share, truth % clusters, other)
    table = cv.Contingency.from_labels(truth, pred)
    return {
        "cv": cv,
        "math": math,
        "np": np,
        "truth": truth,
        "pred": pred,
        "X": rng.normal(size=(OBJECTS, 3)) + 2.0 * truth[:, None],
        "labels": pred,
        "table": table,
        "pairs": table.pairs,
        "n": OBJECTS,
        "k": classes,
    }


def _cases() -> list[Names]:
    return [_case(*kind) for kind in KINDS]


def _scikit_learn(case: Names) -> Names:
    from sklearn import metrics
    from sklearn.cluster import KMeans

    return {"metrics": metrics, "model": KMeans(3, n_init=1, random_state=0).fit(case["X"])}


def _clusim(case: Names) -> Names:
    sim = _module("clusim.sim")
    clustering = _module("clusim.clustering").Clustering
    first, second = (clustering().from_membership_list(case[s].tolist()) for s in ("truth", "pred"))
    return {"sim": sim, "c1": first, "c2": second}


def _genieclust(_: Names) -> Names:
    names = ("compare_partitions", "cluster_validity")
    return {name: _module(f"genieclust.{name}") for name in names}


PEERS: dict[str, Callable[[Names], Names]] = {
    "scikit-learn": _scikit_learn,
    "clusim": _clusim,
    "genieclust": _genieclust,
}


def _module(name: str) -> Any:
    """A library that may be missing, whatever it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, exc_type=ImportError)


def _value(expression: str, names: Names) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(expression, dict(names))


def _plain(row: Row, names: Names) -> float:
    """What the measure gives without parameters."""
    inputs = "X, labels" if cv.measures[row["ours"]].kind == "internal" else "truth, pred"
    return float(_value(f"cv.{row['ours']}({inputs})", names))


def _close(ours: Any, theirs: Any) -> bool:
    first, second = np.asarray(ours, float), np.asarray(theirs, float)
    return first.shape == second.shape and np.allclose(first, second, rtol=1e-9, atol=1e-12)


def _peer_values(row: Row, cases: list[Names]) -> Iterator[tuple[Names, Any]]:
    """Their value of each case that they take: genieclust refuses unequal numbers of clusters."""
    for case in cases:
        try:
            yield case, _value(row["peer"], case)
        except RuntimeError as refused:
            if "genieclust" not in str(refused):
                raise


def _peer_cases(key: str) -> list[Names]:
    return [case | PEERS[key](case) for case in _cases()]


def test_libraries_are_in_the_order_of_the_site() -> None:
    assert list(LIBRARIES) == [*PYTHON, "clue", "fpc", "mclust", "elki"]


@everywhere
def test_rows_have_all_keys_and_no_others(key: str) -> None:
    library = LIBRARIES[key]
    assert set(library) == {"key", "title", "version", "intro", "name"}
    needed = {"theirs", "ours", "call", "differs"}
    needed |= {"module", "peer"} if key in PYTHON else set()
    for row in library["name"]:
        assert needed <= set(row) <= needed | {"about"}, row
        assert row.get("about", "input") == "input", row
        assert row["ours"] or (row["differs"].startswith("Not here") and not row["call"]), row
        assert row["call"] or row["differs"] or row["ours"] not in cv.measures, row
        assert not row["differs"] or row["differs"].endswith("."), row
    names = [row["theirs"] for row in library["name"]]
    assert len(names) == len(set(names))


@everywhere
def test_our_names_exist(key: str) -> None:
    ours = {row["ours"] for row in LIBRARIES[key]["name"]} - {""}
    assert ours <= {*cv.measures, *cv.__all__}


@everywhere
def test_calls_run(key: str) -> None:
    case = (_peer_cases(key) if key in PYTHON else _cases())[0]
    for row in LIBRARIES[key]["name"]:
        if row["call"]:
            found = _value(row["call"], case)
            assert not isinstance(found, float) or math.isfinite(found), row["theirs"]


@in_python
def test_calls_give_the_values_of_the_library(key: str) -> None:
    cases = _peer_cases(key)
    wrong = []
    for row in LIBRARIES[key]["name"]:
        if row["call"] and row["peer"]:
            values = list(_peer_values(row, cases))
            assert values, row["theirs"]
            same = [_close(_value(row["call"], case), theirs) for case, theirs in values]
            wrong += [row["theirs"]] if not all(same) else []
    assert not wrong


@in_python
def test_values_differ_where_the_table_says_so_and_only_there(key: str) -> None:
    cases = _peer_cases(key)
    wrong = []
    for row in LIBRARIES[key]["name"]:
        if row["ours"] in cv.measures and row["peer"] and "about" not in row:
            values = _peer_values(row, cases)
            same = all(_close(_plain(row, case), theirs) for case, theirs in values)
            wrong += [row["theirs"]] if same == bool(row["differs"]) else []
    assert not wrong


@elsewhere
def test_calls_differ_from_the_plain_ones_where_the_table_says_so(key: str) -> None:
    """Libraries of R and Java are not run, but the call and the words must agree."""
    wrong = []
    for row in LIBRARIES[key]["name"]:
        if row["ours"] in cv.measures and row["call"]:
            values = [(_value(row["call"], case), _plain(row, case)) for case in _cases()]
            same = all(_close(theirs, ours) for theirs, ours in values)
            wrong += [row["theirs"]] if same != (not row["differs"] or "about" in row) else []
    assert not wrong


def _functions(module: Any) -> set[str]:
    kinds = (types.FunctionType, types.BuiltinFunctionType, type(len))
    public = {name: item for name, item in vars(module).items() if not name.startswith("_")}
    return {
        name
        for name, item in public.items()
        if isinstance(item, kinds) or type(item).__name__ == "cython_function_or_method"
    }


def _listed(key: str) -> set[str]:
    """Names without their arguments."""
    return {row["theirs"].partition("(")[0] for row in LIBRARIES[key]["name"]}


def test_every_clustering_metric_of_scikit_learn_has_a_row() -> None:
    from sklearn.metrics import cluster

    assert set(cluster.__all__) <= _listed("scikit-learn")


def test_every_similarity_of_clusim_has_a_row() -> None:
    sim = _module("clusim.sim")
    also = {name for name in _functions(sim) if name.startswith(("element_sim", "expected_"))}
    assert set(sim.available_similarity_measures) | also <= _listed("clusim")


def test_every_index_of_genieclust_has_a_row() -> None:
    modules = _genieclust({}).values()
    assert set().union(*(_functions(module) for module in modules)) <= _listed("genieclust")
