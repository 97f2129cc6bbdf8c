"""Files that are paired row by row: ids that they share must be the same in each row."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import clustervet as cv
from clustervet.errors import FileError, ParameterError
from clustervet.frames import places
from clustervet.scorecard.score_files import score_files

N = 60
RNG = np.random.default_rng(5)
TRUTH = np.repeat(["a", "b", "c"], N // 3)
PRED = np.where(RNG.random(N) < 0.2, 1, np.repeat([0, 1, 2], N // 3))
IDS = RNG.permutation(1000)[:N]
ORDER = RNG.permutation(N)
POINTS = {"x1": RNG.normal(size=N), "x2": RNG.normal(size=N)}
ASK = {"truth": "y", "pred": "c"}


def write(path, columns):
    frame = pl.DataFrame(columns)
    if path.suffix == ".npz":
        np.savez(path, **{name: np.asarray(column) for name, column in columns.items()})
    elif path.suffix == ".jsonl":
        frame.write_ndjson(path)
    elif path.suffix == ".parquet":
        frame.write_parquet(path)
    else:
        frame.write_csv(path)
    return path


@pytest.fixture
def pair(tmp_path):
    """Write truth and prediction with a shared column into two files."""

    def files(first, second, name="key", suffixes=(".csv", ".csv"), order=ORDER):
        truth = write(tmp_path / f"truth{suffixes[0]}", {name: first, "y": TRUTH})
        moved = {name: second if order is ... else np.asarray(second)[order], "c": PRED[order]}
        return [truth, write(tmp_path / f"pred{suffixes[1]}", moved)]

    return files


FORMS = [(a, b) for a in (".csv", ".parquet", ".jsonl", ".npz") for b in (".csv", ".parquet")]


@pytest.mark.parametrize("suffixes", FORMS, ids=" ".join)
@pytest.mark.parametrize("ids", [IDS, np.array([f"n{k}" for k in IDS])], ids=["numbers", "text"])
def test_ids_in_another_order_are_refused(pair, suffixes, ids):
    files = pair(ids, ids, suffixes=suffixes)
    with pytest.raises(FileError, match=r"column 'key' .* the same values in another order") as no:
        cv.read_tables(files, **ASK)
    assert "id='key'" in str(no.value)
    assert "by_row=True" in str(no.value)
    joined = cv.read_tables(files, id="key", **ASK)["y", "c"]
    assert joined == cv.Contingency.from_labels(
        TRUTH, PRED.astype(joined.cluster_names[0].__class__)
    )
    by_row = cv.read_tables(files, by_row=True, **ASK)["y", "c"]
    assert cv.rand(by_row) == cv.rand(TRUTH, PRED[ORDER])


@pytest.mark.parametrize("suffixes", FORMS, ids=" ".join)
def test_ids_in_one_order_are_paired_in_silence(pair, suffixes):
    tables = cv.read_tables(pair(IDS, IDS, suffixes=suffixes, order=np.arange(N)), **ASK)
    assert cv.rand(tables["y", "c"]) == cv.rand(TRUTH, PRED)
    assert tables.remarks() == []


def test_large_text_is_compared_by_the_engine(pair, monkeypatch):
    files = pair(IDS, IDS)
    monkeypatch.setattr(places, "LIGHT", 10)
    with pytest.raises(FileError, match="the same values in another order"):
        cv.read_tables(files, **ASK)
    same = cv.read_tables(pair(IDS, IDS, order=np.arange(N)), **ASK)
    assert cv.rand(same["y", "c"]) == cv.rand(TRUTH, PRED)


def test_text_that_the_engine_misreads_is_compared_by_python(tmp_path, monkeypatch):
    rows = [f'"k""{k}\n{k}",{y}\r' for k, y in enumerate(TRUTH)]
    truth, pred = tmp_path / "t.csv", tmp_path / "p.csv"
    truth.write_text("\n".join(["key,y\r", *rows]), newline="")
    rows = [f'"k""{k}\n{k}",{PRED[k]}\r' for k in ORDER]
    pred.write_text("\n".join(["key,c\r", *rows]), newline="")
    for light in (places.LIGHT, 10):
        monkeypatch.setattr(places, "LIGHT", light)
        with pytest.raises(FileError, match="the same values in another order"):
            cv.read_tables([truth, pred], **ASK)


def test_text_on_which_the_engine_fails_is_compared_by_python(tmp_path):
    truth = write(tmp_path / "t.parquet", {"key": ["1", "2", "3"], "y": ["a", "b", "b"]})
    pred = tmp_path / "p.csv"
    for keys, said in (("321", "the same values in another order"), ("123", None)):
        pred.write_text("key,c\n{},x\n{},y\r{},z\n".format(*keys), newline="")
        if said:
            with pytest.raises(FileError, match=f"^column 'key' of .* {said}"):
                cv.read_tables([truth, pred], **ASK)
        else:
            assert cv.read_tables([truth, pred], **ASK)["y", "c"].to_dict() == {
                ("a", "x"): 1, ("b", "y"): 1, ("b", "z"): 1,
            }  # fmt: skip


def test_ids_that_are_in_both_files_only_in_part_are_refused(pair):
    other = IDS.copy()
    other[:20] += 1000
    with pytest.raises(FileError, match="different values, with 40 of them in both"):
        cv.read_tables(pair(IDS, other, order=np.arange(N)), **ASK)
    # A column that is called as an index is holds ids, however few are in both files.
    with pytest.raises(FileError, match=r"has no value in common, .* give a pattern"):
        cv.read_tables(pair(IDS, IDS + 1000, name="id", order=np.arange(N)), **ASK)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (IDS % 7, IDS[::-1] % 7),
        (POINTS["x1"], POINTS["x2"]),
        (IDS, IDS + 1000),
        ([None, None, *IDS[2:].tolist()], [*IDS[2:].tolist(), None, None]),
    ],
    ids=["repeated", "features", "numbers that differ", "missing"],
)
def test_columns_that_are_no_ids_are_passed_over(pair, first, second):
    tables = cv.read_tables(pair(first, second, order=...), **ASK)
    assert cv.rand(tables["y", "c"]) == cv.rand(TRUTH, PRED)


def test_points_and_labels(tmp_path):
    points = write(tmp_path / "points.csv", {"row": IDS, **POINTS})
    labels = write(tmp_path / "labels.csv", {"row": IDS[ORDER], "c": PRED[ORDER]})
    ask = {"pred": "c", "measures": ["ssq"]}
    for features in (["x*"], ["x1", "x2"]):
        with pytest.raises(FileError, match=r"column 'row' .* join the files on it with id='row'"):
            score_files([str(points), str(labels)], features=features, **ask)
    found = score_files([str(points), str(labels)], features=["x*"], by_row=True, **ask)
    matrix = np.stack(list(POINTS.values()), axis=1)
    assert found.inner["c"]["ssq"] == pytest.approx(cv.ssq(matrix, PRED[ORDER]))
    with pytest.raises(FileError, match=r"^a path cannot hold the character NUL\.$"):
        score_files(["points\0.csv", str(labels)], features=["x*"], **ask)
    # A column that both have and that is named as a feature is none of ids.
    score_files([str(points), str(labels)], features=["row", "x1"], **ask)


def test_evidence(pair):
    files = [str(path) for path in pair(IDS, IDS)]
    with pytest.raises(FileError, match="join the files on it with id='key'"):
        cv.examine_files(files, "y", "c", measures=["rand"])
    found, _ = cv.examine_files(files, "y", "c", measures=["rand"], by_row=True)
    assert found.scores["c"]["rand"] == cv.rand(TRUTH, PRED[ORDER])
    with pytest.raises(ParameterError, match="by_row does not go with id"):
        cv.examine_files(files, "y", "c", id="key", by_row=True)


def test_labelings(tmp_path):
    names = ["one", "two", "three"]
    for name, order in zip(names, (np.arange(N), np.arange(N), ORDER), strict=True):
        write(tmp_path / f"{name}.csv", {"id": IDS[order], "c": PRED[order]})
    one, two, three = (str(tmp_path / f"{name}.csv") for name in names)
    assert list(cv.LabelingFiles().read([one, two])) == ["one", "two"]
    with pytest.raises(FileError, match=r"one\.csv and of .*three\.csv has the same values"):
        cv.LabelingFiles().read([one, two, three])
    assert len(cv.LabelingFiles(by_row=True).read([one, two, three])) == 3
    table = write(tmp_path / "runs.csv", {"id": IDS, "a": PRED, "b": TRUTH})
    reader = cv.LabelingFiles()
    reader.read([str(table)])
    assert len(reader.one(two)) == N
    with pytest.raises(FileError, match="the same values in another order"):
        reader.one(three)
