"""Every engine and every policy: the counts of an oracle in plain Python, and of `from_labels`."""

from __future__ import annotations

import datetime as dt
import itertools
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from engine_frames import ENGINES, pandas, spark_session

import clustervet.frames.frame as frame_room
from clustervet import Contingency
from clustervet.frames.frame import group_frame
from clustervet.labels import Singleton

UTC = dt.UTC
# The third label is noise; None is missing.
KINDS = {
    "ints": (pa.int64(), [-7, 3, -1, 5, None]),
    "small ints": (pa.int8(), [-7, 3, -1, 5, None]),
    "63-bit ids": (pa.int64(), [-(2**63), 2**62 + 1, -1, 2**63 - 1, None]),
    "unsigned ids": (pa.uint64(), [0, 2**64 - 1, 7, 2**53 + 1, None]),
    "strings": (pa.string(), ["", "b", "noise", "x" * 300, None]),
    "unicode": (pa.string(), ["Ærø", "日本", "e\u0301", "\u00e9", "\U0001f642", None]),
    "floats": (pa.float64(), [-7.0, 3.0, -1.0, 2.0**60, None, float("nan")]),
    "dates": (pa.date32(), [dt.date(1969, 7, 20), dt.date(2024, 2, 29), dt.date(1900, 1, 1), None]),
    "moments": (
        pa.timestamp("us"),
        [dt.datetime(2024, 3, 31, 2, 30, 0, k) for k in (0, 1, 2)] + [None],
    ),
    "zoned moments": (
        pa.timestamp("us", "UTC"),
        [dt.datetime(1960, 3, 31, hour, 30, tzinfo=UTC) for hour in (1, 2, 3)] + [None],
    ),
    "categories": (pa.dictionary(pa.int32(), pa.string()), ["low", "mid", "high", None]),
    "booleans": (pa.bool_(), [True, None, False]),
    "decimals": (pa.decimal128(12, 1), [Decimal(1), Decimal(-3), Decimal(8), None]),
}
MISSING = ("raise", "drop", "class")
POLICIES = ("keep", "drop", "singletons")
# Every kind of label is weighted, in one of two ways.
WEIGHTS = {kind: (None, ("whole", "real")[k % 2]) for k, kind in enumerate(KINDS)}


def gone(label):
    return label is None or label != label


def rows_of(kind, seed=5, size=160):
    """Columns of a kind, with classes that never occur among its categories."""
    made, labels = KINDS[kind]
    rng = np.random.default_rng(seed)
    draw = [[labels[k] for k in rng.integers(len(labels), size=size)] for _ in range(2)]
    return {
        "truth": pa.array(draw[0], made),
        "pred": pa.array(draw[1], made),
        "full truth": pa.array([labels[0] if gone(x) else x for x in draw[0]], made),
        "full pred": pa.array([labels[0] if gone(x) else x for x in draw[1]], made),
        "whole": pa.array(rng.choice([0, 1, 2, 3, 2**62 + 1], size), pa.int64()),
        "real": pa.array(rng.integers(0, 9, size) / 8, pa.float64()),
    }


def expected(truth, pred, weights, noise, policy, missing):
    """The table from its definition, or None where it is refused: exact sums, object by object."""
    cells, single = defaultdict(Fraction), itertools.count()
    many = [Counter(side)[noise] for side in (truth, pred)]
    if policy == "drop":
        left = [noise not in pair for pair in zip(truth, pred, strict=True)]
    else:
        left = [True] * len(truth)
    if missing == "drop":
        left = [keep and None not in pair for keep, *pair in zip(left, truth, pred, strict=True)]
    for keep, a, b, weight in zip(left, truth, pred, weights, strict=True):
        if not keep:
            continue
        if missing == "raise" and (a is None or b is None):
            return None
        names = [
            f"single {next(single)}"
            if policy == "singletons" and label == noise and n > 1
            else label
            for label, n in zip((a, b), many, strict=True)
        ]
        if weight:
            cells[tuple(names)] += Fraction(weight)
    return dict(cells)


def comparable(cells):
    """Cells with every singleton under one name, as a multiset."""
    return Counter(
        (*("single" if is_single(name) else plain(name) for name in key), Fraction(value))
        for key, value in cells.items()
    )


def is_single(name):
    return isinstance(name, Singleton) or (isinstance(name, str) and name.startswith("single "))


def plain(name):
    """A label as the test wrote it: dates that an engine knows as moments are dates."""
    if isinstance(name, dt.datetime) and name.tzinfo is None and name.time() == dt.time():
        return name.date()
    return name


def wrong(make, kind, monkeypatch):
    """The policies for which an engine's table is not the expected one."""
    monkeypatch.setattr(frame_room, "group_frame", remembered(group_frame))
    columns = rows_of(kind)
    frame, noise = make(pa.table(columns)), KINDS[kind][1][2]
    named = np.datetime64(noise) if make is pandas and kind == "moments" else noise
    lists = {
        name: [None if gone(x) else x for x in column.to_pylist()]
        for name, column in columns.items()
    }
    found = []
    for missing, policy, weights in itertools.product(MISSING, POLICIES, WEIGHTS[kind]):
        truth, pred = ("full truth", "full pred") if missing == "raise" else ("truth", "pred")
        heavy = [1] * len(lists[truth]) if weights is None else lists[weights]
        wanted = expected(lists[truth], lists[pred], heavy, noise, policy, missing)
        options = {"weights": weights, "noise": {named: policy}, "missing": missing}
        got = Contingency.from_frame(frame, truth=truth, pred=pred, **options)
        labels = [lists[truth], lists[pred]]
        if comparable(got.to_dict()) != comparable(wanted) or got.is_whole == (weights == "real"):
            found.append((kind, missing, policy, weights))
        if None not in labels[0] and kind != "unsigned ids":
            same = Contingency.from_labels(
                *labels, **options | {"weights": heavy, "noise": {noise: policy}}
            )
            assert comparable(same.to_dict()) == comparable(wanted)
    return found


def remembered(function):
    """The same, asking the engine once: most policies are applied to what it counted."""
    known = {}

    def asked(frame, **options):
        key = repr(options)
        known[key] = known.get(key) or function(frame, **options)
        return known[key]

    return asked


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_counts_like_the_definition(engine, kind, monkeypatch):
    assert wrong(ENGINES[engine], kind, monkeypatch) == []


def test_spark_counts_like_the_definition(monkeypatch):
    # Spark has neither unsigned numbers nor categories, and for so few rows need not compile.
    plainly = {
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.sql.adaptive.enabled": "false",
    }
    with spark_session(settings=plainly) as session:
        for kind in KINDS.keys() - {"unsigned ids", "categories", "small ints", "strings"}:
            assert wrong(lambda table: spark_frame(session, table), kind, monkeypatch) == []


def spark_frame(session, table):
    frame = session.createDataFrame(table)
    # Spark takes a moment without a time zone for one of its own, unless it is told.
    local = [field.name for field in table.schema if field.type == pa.timestamp("us")]
    return frame.withColumns({name: frame[name].cast("timestamp_ntz") for name in local})
