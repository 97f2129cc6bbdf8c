"""Tables of labels in files: which files are read how, and what is known about them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import clustervet as cv
from clustervet.errors import FileError, ParameterError

RNG = np.random.default_rng(5)
Y = RNG.integers(0, 3, 120)
A = np.where(RNG.random(120) < 0.8, Y, 2)
B = RNG.integers(0, 4, 120)
FRAME = pl.DataFrame({"id": range(120), "y": Y, "z": B % 2, "a": A, "b": B, "w": Y + 1})


@pytest.fixture(params=["csv", "parquet", "npz", "folder"])
def path(request, tmp_path):
    """The same rows, read by Python, by DuckDB, as arrays, and in parts."""
    if request.param == "npz":
        np.savez(tmp_path / "t.npz", **{name: FRAME[name].to_numpy() for name in FRAME.columns})
        return tmp_path / "t.npz"
    if request.param == "folder":
        (tmp_path / "parts").mkdir()
        FRAME[:50].write_csv(tmp_path / "parts" / "1.csv")
        FRAME[50:].write_csv(tmp_path / "parts" / "2.csv")
        return tmp_path / "parts"
    target = tmp_path / f"t.{request.param}"
    FRAME.write_csv(target) if request.param == "csv" else FRAME.write_parquet(target)
    return target


def plain(table):
    """Counts by the text of labels, which is all that delimited text has."""
    return {tuple(map(str, cell)): count for cell, count in table.to_dict().items()}


def same(truth, pred, **options):
    return plain(cv.Contingency.from_labels(truth, pred, **options))


def test_every_pair_of_columns(path):
    tables = cv.read_tables(path, "y", ["a", "b"])
    assert isinstance(tables, cv.Tables)
    assert list(tables) == [("y", "a"), ("y", "b")]
    assert (tables.truths, tables.preds) == (("y",), ("a", "b"))
    assert plain(tables["y", "a"]) == same(Y, A)
    assert plain(tables["y", "b"]) == same(Y, B)


def test_several_truths_have_their_product(path):
    tables = cv.read_tables(path, ["y", "z"], "a")
    assert list(tables) == [("y", "a"), ("z", "a"), ("product", "a")]
    assert tables["product", "a"].shape == (len(set(zip(Y, B % 2, strict=True))), 3)
    assert tables.labels() is None


def test_weights(path):
    table = cv.read_tables(path, "y", "a", weights="w")["y", "a"]
    assert plain(table) == same(Y, A, weights=Y + 1)


def test_labels_of_every_object(path):
    truth, preds = cv.read_tables(path, "y", ["a", "b"], joint=True).labels()
    assert plain(cv.Contingency.from_labels(truth, preds["b"])) == same(Y, B)
    assert plain(cv.Contingency.from_labels(preds["a"], preds["b"])) == same(A, B)


def test_policies(path):
    table = cv.read_tables(path, "y", "a", noise={2: "drop", "2": "drop"})["y", "a"]
    assert plain(table) == same(Y, A, noise={2: "drop"})


def test_a_column_that_is_not_there(path):
    with pytest.raises(FileError, match="has no column 'yy'"):
        cv.read_tables(path, "yy", "a")
    with pytest.raises(ParameterError, match="name a column with pred;"):
        cv.read_tables(path, "y")


@pytest.mark.parametrize(
    ("files", "options", "message"),
    [
        (["t.csv", "parts"], {}, "^name the columns of such files with truth and pred\\.$"),
        (
            ["t.csv"],
            {"truth": ["y", "product"], "pred": "a"},
            "^no truth may be called 'product': that is the name of the product classes\\.$",
        ),
        (["t.csv"], {"pred": "a"}, "^name a column with truth; .* has id, y, z, a, b, w\\.$"),
        (
            ["t.csv"],
            {"truth": ["y", "z"], "pred": "a", "engine": "polars"},
            "^a second truth goes with the engine duckdb alone\\.$",
        ),
        (
            ["t.csv"],
            {"truth": "y", "engine": "polars"},
            "^name columns with truth and pred for such an engine\\.$",
        ),
        (
            ["t.csv", "c.csv", "ab.csv"],
            {"truth": "y", "pred": "a", "id": "id"},
            "^no pred is a column of .*c\\.csv\\.$",
        ),
        (["t.csv", "c.csv"], {"id": "id"}, "^name a column of .* with truth; it has id, y, z,"),
        (["c.csv", "ab.csv"], {"id": "id"}, "^name a column of .* with pred; it has id, a, b\\.$"),
    ],
)
def test_what_does_not_say_which_columns_are_meant(tmp_path, files, options, message):
    FRAME.write_csv(tmp_path / "t.csv")
    FRAME.select("id", c="b").write_csv(tmp_path / "c.csv")
    FRAME.select("id", "a", "b").write_csv(tmp_path / "ab.csv")
    (tmp_path / "parts").mkdir()
    FRAME.write_csv(tmp_path / "parts" / "1.csv")
    with pytest.raises(ParameterError, match=message):
        cv.read_tables([tmp_path / name for name in files], **options)


def test_a_column_of_one_of_two_files(tmp_path):
    FRAME.select("id", "y", "w").write_csv(tmp_path / "t.csv")
    for name in ("1.csv", "2.csv"):
        FRAME.select("id", "a", "b").write_csv(tmp_path / name)
    files = [tmp_path / "t.csv", tmp_path / "1.csv", tmp_path / "2.csv"]
    with pytest.raises(FileError, match=r"1\.csv has no column 'aa'"):
        cv.read_tables(files[:2], "y", "aa")
    with pytest.raises(FileError, match=r"^column 'a' is in .*1\.csv and in .*2\.csv; rename"):
        cv.read_tables(files, "y", "a", id="id")
    joined = cv.read_tables(files[:2], "y", "a", id="id", weights="w")
    assert plain(joined["y", "a"]) == same(Y, A, weights=Y + 1)


def test_two_files_are_paired_by_row_and_more_are_parts(tmp_path):
    paths = [tmp_path / f"{k}.parquet" for k in range(3)]
    for k, part in enumerate(paths):
        FRAME[40 * k : 40 * k + 40].write_parquet(part)
    with pytest.raises(FileError, match=r"column 'id' .* has no value in common"):
        cv.read_tables(paths[:2], "y", "a")
    paired = cv.read_tables(paths[:2], "y", "a", by_row=True)
    assert plain(paired["y", "a"]) == same(Y[:40], A[40:80])
    assert paired.paired_by_row
    assert plain(cv.read_tables(paths, "y", "a")["y", "a"]) == same(Y, A)
    both = cv.read_tables(paths[:2], "y", "a", parts=True)
    assert plain(both["y", "a"]) == same(Y[:80], A[:80])
    assert not both.paired_by_row


def test_a_guessed_header_is_a_fact(tmp_path):
    for name, labels in (("truth", Y), ("pred", A)):
        text = "\n".join([name, *(f"k{label}" for label in labels)])
        (tmp_path / f"{name}.txt").write_text(text)
    tables = cv.read_tables([tmp_path / "truth.txt", tmp_path / "pred.txt"])
    assert list(tables) == [("truth", "pred")]
    assert list(tables.header_guessed.values()) == ["truth", "pred"]
    assert tables["truth", "pred"].n == 120


def test_ids_without_a_partner_are_a_fact(tmp_path):
    truth, pred = tmp_path / "t.parquet", tmp_path / "p.csv"
    FRAME.select("id", "y")[5:].write_parquet(truth)
    FRAME.select("a", "id").reverse()[3:].write_csv(pred)
    tables = cv.read_tables([truth, pred], id="id")
    assert plain(tables["y", "a"]) == same(Y[5:-3], A[5:-3])
    (one,) = tables.unmatched
    assert (one.only_truth, one.only_prediction) == (3, 5)
    source = cv.open_table([truth, pred], id="id")
    (same_again,) = source.unmatched
    assert same_again == one
    found = source.labels(["y", "a"])
    table = cv.Contingency.from_labels(found["y"], found["a"])
    assert plain(table) == same(Y[5:-3], A[5:-3])
    order = sorted(range(5, 117), key=str)  # the ids of one file are text, so all are
    assert source.features(["y"]).matrix.ravel().tolist() == Y[order].tolist()


def test_a_saved_table(tmp_path):
    cv.Contingency.from_labels(Y, A).save(tmp_path / "t.json")
    tables = cv.read_tables(tmp_path / "t.json")
    assert tables["truth", "pred"] == cv.Contingency.from_labels(Y, A)
    with pytest.raises(ParameterError, match="is a saved table, which truth does not go with"):
        cv.read_tables(tmp_path / "t.json", "y")


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_engines_by_name(tmp_path, engine):
    FRAME.write_parquet(tmp_path / "t.parquet")
    tables = cv.read_tables(tmp_path / "t.parquet", "y", ["a", "b"], engine=engine)
    assert {pair: plain(table) for pair, table in tables.items()} == {
        ("y", "a"): same(Y, A),
        ("y", "b"): same(Y, B),
    }


def test_another_engine_answers_the_four_questions(tmp_path):
    FRAME.with_columns(kind=pl.lit("k")).write_parquet(tmp_path / "t.parquet")
    source = cv.open_table(tmp_path / "t.parquet", engine="polars")
    assert [str(kind) for kind in source.columns.values()][-1] == "text"
    assert source.features(["y", "b"]).matrix.tolist() == [
        [float(y), float(b)] for y, b in zip(Y, B, strict=True)
    ]
    codes = source.labels(["a"])["a"]
    assert list(codes.restore(codes.values)) == A.tolist()
    (pairs, few) = source.groups([("y", "a"), ("y", "b", "z")], most={1: 2})
    assert int(pairs.counts.sum()) == 120
    assert few is None
    with pytest.raises(ParameterError, match="id goes with the engine duckdb"):
        cv.open_table(tmp_path / "t.parquet", engine="polars", id="id")


def test_features_of_a_folder(tmp_path):
    for form in ("csv", "parquet", "jsonl"):
        folder = tmp_path / form
        folder.mkdir()
        for k, part in enumerate((FRAME[:50], FRAME[50:])):
            target = folder / f"{k}.{form}"
            {"csv": part.write_csv, "parquet": part.write_parquet, "jsonl": part.write_ndjson}[
                form
            ](target)
        table = cv.open_table(folder).features(["y", "b"], exclude=["a"])
        assert table.matrix[:, 1].tolist() == B.tolist()
        codes = table.labels("a")
        assert [int(x) for x in codes.restore(codes.values)] == A.tolist()
