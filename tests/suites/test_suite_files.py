"""Suites in folders, as clustering benchmark suites lay them out."""

from __future__ import annotations

import gzip

import polars as pl
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import load_iris, make_blobs

import clustervet as cv
from clustervet.errors import FileError, MemoryLimitError, ParameterError
from clustervet.frames.suite_files import find_results, find_suite, read_numbers

IRIS = load_iris(return_X_y=True)
BLOBS = make_blobs(60, random_state=1)


def packed(path, lines):
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def numbers(matrix):
    return [" ".join(f"{x:.17g}" for x in row) for row in matrix]


@pytest.fixture
def suite(tmp_path):
    folder = tmp_path / "suite"
    packed(folder / "real/iris.data.gz", numbers(IRIS[0]))
    packed(folder / "real/iris.labels0.gz", (IRIS[1] + 1).astype(str))
    packed(folder / "made/blobs.data.gz", numbers(BLOBS[0]))
    noisy = BLOBS[1] + 1
    noisy[:5] = 0
    packed(folder / "made/blobs.labels0.gz", noisy.astype(str))
    packed(folder / "made/blobs.labels1.gz", ((BLOBS[1] > 0) + 1).astype(str))
    (folder / "README.txt").write_text("a suite\n", encoding="utf-8")
    return folder


@pytest.fixture
def tables(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    for name, (points, y), write in (
        ("iris", IRIS, pl.DataFrame.write_csv),
        ("blobs", BLOBS, pl.DataFrame.write_parquet),
    ):
        columns = {f"x{k}": points[:, k] for k in range(points.shape[1])}
        suffix = "csv" if name == "iris" else "parquet"
        write(pl.DataFrame({**columns, "kind": y}), folder / f"{name}.{suffix}")
    return folder


def test_a_suite_is_read_as_it_is_written(suite):
    blobs, iris = find_suite(suite)
    assert (blobs.name, iris.name) == ("made/blobs", "real/iris")
    points, truths = iris.read()
    assert points.tolist() == IRIS[0].tolist()
    assert [int(name) for name in truths[0].restore(truths[0].values)] == (IRIS[1] + 1).tolist()
    assert len(blobs.read()[1]) == 2


def test_zero_is_noise_in_the_labels_of_a_suite(suite):
    found = cv.benchmark(suite, ["ward"], measure="ari")
    assert {one.name: (one.classes, one.noise) for one in found.sets} == {
        "made/blobs": ((3, 2), 5),
        "real/iris": ((3,), 0),
    }
    kept = cv.benchmark(suite, ["ward"], measure="ari", truth_noise=None)
    assert kept.sets[0].classes == (4, 2)
    labels = AgglomerativeClustering(3).fit_predict(IRIS[0])
    assert found.score("real/iris", "ward").mean == cv.adjusted_rand(IRIS[1], labels)


def test_a_folder_of_tables_is_a_suite(tables):
    found = cv.benchmark(tables, ["ward"], label="kind", measure="ari")
    labels = AgglomerativeClustering(3).fit_predict(IRIS[0])
    assert found.score("iris", "ward").mean == cv.adjusted_rand(IRIS[1], labels)
    assert [one.points for one in found.sets] == [60, 150]


def test_clusterings_that_somebody_has_in_files(suite, tmp_path):
    results = tmp_path / "results"
    packed(results / "mine/real/iris.csv.gz", ["r1,r2", *(f"{y},0" for y in IRIS[1])])
    packed(results / "Genie/real/iris.result3.gz", ["Genie_0.1", *map(str, IRIS[1] + 1)])
    packed(results / "Genie/real/iris.result2.gz", ["Genie_0.1", *(["1"] * 150)])
    found = cv.benchmark(suite, labels=results, measure="ari")
    assert found.score("real/iris", "mine").values == (1.0, 0.0)
    assert found.score("real/iris", "Genie_0.1").values == (1.0,)
    assert found.score("made/blobs", "mine").error == "no labels"
    assert len(find_results(results)) == 3


def without(folder, name):
    (folder / name).unlink()


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda s: without(s, "real/iris.labels0.gz"), r"iris\.data\.gz has no labels beside it"),
        (lambda s: without(s, "real/iris.data.gz"), r"iris\.labels0\.gz has no points beside it"),
        (
            lambda s: packed(s / "real/iris.labels0.gz", ["1", "2"]),
            r"iris\.labels0\.gz has 2 labels for the 150 points of .*iris\.data\.gz",
        ),
        (lambda s: packed(s / "real/iris.labels0.gz", ["1,2", "2,3"]), "one label per line"),
        (
            lambda s: packed(s / "real/iris.data.gz", ["1 2", "1 x"]),
            r"line 2 of .*iris\.data\.gz has 'x', which is no number",
        ),
        (
            lambda s: packed(s / "real/iris.data.gz", ["1 2", "1"]),
            r"line 2 of .*iris\.data\.gz has another number of fields",
        ),
        (lambda s: packed(s / "real/iris.data.gz", ["1 inf"]), "must be finite numbers"),
        (lambda s: packed(s / "real/iris.data.gz", [""]), "has no numbers"),
        (
            lambda s: (s / "real/iris.data.gz").write_bytes(b"\x1f\x8b" + b"junk" * 9),
            "gzip|gz",
        ),
        (lambda s: packed(s / "real/iris.data", ["1 2"]), "would be the same data set"),
    ],
)
def test_a_fault_in_a_suite_is_told_with_its_file_and_nothing_is_written(
    suite, tmp_path, spoil, words
):
    spoil(suite)
    with pytest.raises(FileError, match=words) as raised:
        cv.benchmark(suite, ["ward"], journal=tmp_path / "fits")
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "fits").exists()


def test_folders_that_are_no_suites_are_refused(suite, tables, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match="has no data sets"):
        find_suite(tmp_path / "empty")
    with pytest.raises(FileError, match="there is no folder"):
        find_suite(tmp_path / "nowhere")
    with pytest.raises(FileError, match="has no clusterings"):
        find_results(tmp_path / "empty")
    with pytest.raises(ParameterError, match="name their column of labels"):
        find_suite(tables)
    with pytest.raises(ParameterError, match="has its labels in files"):
        find_suite(suite, ["y"])
    packed(tmp_path / "results/mine/other.csv.gz", ["1", "2"])
    with pytest.raises(ParameterError, match="has no clustering of any of the data sets"):
        cv.benchmark(suite, labels=tmp_path / "results")


def test_more_numbers_than_fit_into_memory_are_refused(tmp_path):
    packed(tmp_path / "wide.data.gz", ["1 2 3 4"] * 400_000)
    with cv.memory_limit("2MB"), pytest.raises(MemoryLimitError, match="as numbers would take"):
        read_numbers(str(tmp_path / "wide.data.gz"))


def test_numbers_may_have_blanks_tabs_or_commas_between_them(tmp_path):
    for text in ("1 2\n3 4\n", "1\t2\n3\t4", "1,2\r\n3,4\r\n", "  1   2 \n\n3 4\n"):
        (tmp_path / "x.data").write_bytes(text.encode())
        assert read_numbers(str(tmp_path / "x.data")).tolist() == [[1, 2], [3, 4]]
