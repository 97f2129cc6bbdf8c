from __future__ import annotations

import io
import json
import subprocess
import sys
import zipfile

import numpy as np
import pytest
import scipy.sparse
from reading import read_features

from clustervet.errors import FileError, LabelError
from clustervet.frames import open_table

X = np.array([[0.5, 1.0, 0.0], [1.5, -2.0, 4.0]])


class Bomb:
    """What a pickle could do to whoever loads it."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was loaded",))


def labels(codes):
    """A column as plain labels."""
    assert codes.missing is None
    return [n.item() if isinstance(n, np.generic) else n for n in codes.restore(codes.values)]


@pytest.fixture
def npy(tmp_path):
    def write(array, name="points.npy"):
        path = tmp_path / name
        with path.open("wb") as stream:
            np.save(stream, array, allow_pickle=True)
        return path

    return write


@pytest.fixture
def npz(tmp_path):
    def write(name="points.npz", **arrays):
        path = tmp_path / name
        with path.open("wb") as stream:
            np.savez_compressed(stream, **arrays)
        return path

    return write


def refusal(path, **options):
    """The one safe sentence by which a file is refused."""
    with pytest.raises(FileError) as caught:
        read_features(path, **options)
    text = str(caught.value)
    assert text.isprintable()
    assert text.endswith((".", "?"))
    return text.replace(str(path), "FILE")


class TestNpy:
    """One array in a file."""

    def test_a_matrix(self, npy):
        table = read_features(npy(X))
        assert np.array_equal(table.matrix, X)
        assert table.feature_names == table.columns == ("1", "2", "3")
        assert table.matrix.dtype == np.float64

    def test_the_names_of_columns_that_have_none_are_their_numbers(self, npy):
        names = read_features(npy(X)).feature_names
        assert names == read_features(npy(-X)).feature_names
        assert names != read_features(npy(X[:, :2])).feature_names
        assert names.index("3") == 2
        with pytest.raises(ValueError, match=r"^'4' is not in the list$"):
            names.index("4")
        assert repr(names) == "('1', '2', '3')"
        assert repr(read_features(npy(np.ones((1, 20)))).feature_names).endswith("'19', '20')")
        assert repr(read_features(npy(np.ones((1, 21)))).feature_names) == "('1', ..., '21')"

    @pytest.mark.parametrize("version", [(1, 0), (2, 0), (3, 0)])
    def test_headers_of_every_version(self, tmp_path, version):
        path = tmp_path / "points.npy"
        with path.open("wb") as stream:
            np.lib.format.write_array(stream, X, version=version)
        assert read_features(path).matrix.tolist() == X.tolist()

    @pytest.mark.filterwarnings("ignore:Stored array in format 3.0")
    def test_names_of_every_script(self, npy):
        path = npy(np.array([(0.5, 1), (1.5, 2)], [("größe", "f8"), ("日本", "i8")]))
        assert path.read_bytes()[6:8] == b"\x03\x00"
        table = read_features(path)
        assert table.feature_names == ("größe", "日本")
        assert table.matrix.tolist() == [[0.5, 1], [1.5, 2]]

    @pytest.mark.parametrize(("place", "value"), [(6, b"\x04"), (8, b"\x11\x27\x00\x00")])
    def test_headers_of_no_version_or_beyond_any_length(self, tmp_path, place, value):
        path = tmp_path / "points.npy"
        with path.open("wb") as stream:
            np.lib.format.write_array(stream, X, version=(3, 0))
        held = bytearray(path.read_bytes()) + bytes(20_000)
        held[place : place + len(value)] = value
        path.write_bytes(held)
        assert refusal(path) == "FILE is not a whole NPY file: its header cannot be read."

    def test_more_than_fits_into_memory(self, npy, monkeypatch):
        def exhausted(*_arguments):
            raise MemoryError

        path = npy(X)
        monkeypatch.setattr("clustervet.frames.arrays._array", exhausted)
        assert refusal(path) == "FILE holds an array that does not fit into memory."

    def test_columns_by_number(self, npy):
        table = read_features(npy(X), features=["3", "1"])
        assert table.matrix.tolist() == [[0, 0.5], [4, 1.5]]
        assert table.matrix.flags.c_contiguous

    def test_the_last_column_as_labels(self, npy):
        table = read_features(npy(X), exclude=["3"])
        assert table.feature_names == ("1", "2")
        assert table.matrix.flags.c_contiguous
        assert labels(table.labels("3")) == [0, 4]

    def test_a_single_dimension_is_one_column(self, npy):
        table = read_features(npy(np.array([3, 1, 2])))
        assert table.matrix.tolist() == [[3], [1], [2]]
        assert table.feature_names == ("1",)

    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            (np.float16, np.float32),
            (np.float32, np.float32),
            (">f4", np.float32),
            (np.float64, np.float64),
            (">f8", np.float64),
            (np.longdouble, np.float64),
            (np.int8, np.float64),
            (np.uint64, np.float64),
            (bool, np.float64),
        ],
    )
    def test_types_of_numbers(self, npy, given, expected):
        table = read_features(npy(np.array([[1, 0], [0, 1]], dtype=given)))
        assert table.matrix.dtype == expected
        assert table.matrix.dtype.isnative
        assert table.matrix.tolist() == [[1, 0], [0, 1]]

    def test_columns_first_become_rows_first(self, npy):
        table = read_features(npy(np.asfortranarray(X)))
        assert table.matrix.flags.c_contiguous
        assert np.array_equal(table.matrix, X)

    def test_a_structured_array_is_a_table(self, npy):
        rows = [(1, 0.5, "a", 7), (2, 1.5, "b", 8)]
        dtype = [("id", int), ("x", "f4"), ("kind", "U3"), ("n", "f4")]
        table = read_features(npy(np.array(rows, dtype=dtype)), exclude=["kind"])
        assert table.feature_names == ("x", "n")
        assert table.left_out == {"id": "an index"}
        assert table.matrix.tolist() == [[0.5, 7], [1.5, 8]]
        assert labels(table.labels("kind")) == ["a", "b"]

    def test_by_its_first_bytes(self, npy):
        assert np.array_equal(read_features(npy(X, "points")).matrix, X)

    def test_a_matrix_of_text(self, npy):
        assert refusal(npy(np.array([["a", "b"]]))) == "the matrix of FILE holds text, not numbers."

    def test_complex_numbers(self, npy):
        assert "holds neither numbers nor text" in refusal(npy(X.astype(complex)))

    def test_dates(self, npy):
        assert "holds dates or times" in refusal(npy(np.array(["2020-01-01"], "M8[D]")))

    @pytest.mark.parametrize("shape", [(), (2, 2, 2)])
    def test_other_dimensions(self, npy, shape):
        assert f"FILE holds an array of shape {shape}; two dim" in refusal(npy(np.ones(shape)))

    @pytest.mark.parametrize("shape", [(0,), (0, 3)])
    def test_no_rows(self, npy, shape):
        assert refusal(npy(np.ones(shape))) == "FILE has no rows."

    def test_no_columns(self, npy):
        assert refusal(npy(np.ones((3, 0)))) == "FILE has no columns."

    def test_not_finite(self, npy):
        large = np.zeros((70_000, 2), np.float32)
        large[69_999, 1] = np.nan
        message = "column '2' of FILE has no value in row 70000; mend it, or leave the column out"
        assert refusal(npy(large)).startswith(message)
        large[2, 0] = np.inf
        assert refusal(npy(large)).startswith("column '1' of FILE holds inf in row 3, which is not")

    def test_an_unknown_column(self, npy):
        assert refusal(npy(X), features=["x"]) == "FILE has no column 'x'; its columns are 1, 2, 3."

    def test_pickled_objects_are_not_loaded(self, npy):
        assert refusal(npy(np.array([Bomb()], object))).startswith(
            "FILE holds Python objects, which are never loaded;"
        )

    def test_truncated_and_damaged(self, npy):
        path = npy(X)
        whole = path.read_bytes()
        for part in (whole[:7], whole[:9], whole[:40], whole[:-1], whole[:8] + b"\xff" * 99):
            path.write_bytes(part)
            assert refusal(path).startswith("FILE is not a whole NPY file: ")
        huge = whole.replace(b"(2, 3)", b"(9**99, 3)")[: len(whole)]
        path.write_bytes(huge)
        refusal(path)
        path.write_bytes(whole.replace(b"(2, 3), }      ", b"(999999999999,)"))
        refusal(path)

    @pytest.mark.parametrize("content", [b"hello", b"PK\x05\x06" + b"\0" * 18])
    def test_junk(self, tmp_path, content):
        path = tmp_path / "points.npy"
        path.write_bytes(content)
        assert refusal(path) == "FILE is not an NPY file."


class TestNpz:
    """Several arrays in a file."""

    @pytest.mark.parametrize("name", ["X", "data", "features", "anything"])
    def test_the_matrix_and_labels_beside_it(self, npz, name):
        path = npz(**{name: X}, y=np.array([1, 0]), pred=np.array(["u", "v"]))
        table = read_features(path, exclude=["y", "pred"])
        assert np.array_equal(table.matrix, X)
        assert table.feature_names == ("1", "2", "3")
        assert table.columns == ("1", "2", "3", "y", "pred")
        assert labels(table.labels("y")) == [1, 0]
        assert labels(table.labels("pred")) == ["u", "v"]

    def test_arrays_beside_the_matrix_are_said_to_be_left_out(self, npz):
        table = read_features(npz(X=X, y=np.array([1, 0])))
        assert table.left_out == {"y": "an array beside the matrix"}

    def test_x_is_the_matrix_among_several(self, npz):
        table = read_features(npz(train=X + 1, X=X, data=X + 2))
        assert np.array_equal(table.matrix, X)

    def test_a_matrix_by_name(self, npz):
        path = npz(X=X, Z=X + 1, z=np.array([5, 6]))
        assert np.array_equal(read_features(path, array="Z").matrix, X + 1)
        assert read_features(path, array="z").matrix.tolist() == [[5], [6]]
        assert read_features(path, array="z").feature_names == ("z",)
        assert refusal(path, array="W") == "FILE has no array 'W'; its arrays are X, Z, z."

    def test_another_matrix_of_an_open_file(self, npz):
        source = open_table(npz(X=X, Z=2 * X))
        assert source.features(array="Z").matrix.tolist() == (2 * X).tolist()
        assert source.features(["2"], array="Z").matrix.tolist() == (2 * X[:, [1]]).tolist()
        assert source.features().matrix.tolist() == X.tolist()

    def test_columns_without_rows(self, npz):
        path = npz(x=np.array([]), y=np.array([], np.int64))
        assert refusal(path) == "FILE has no rows."

    def test_several_matrices(self, npz):
        assert refusal(npz(A=X, B=X)) == (
            "FILE holds several matrices, A, B; name one with --array (array=)."
        )

    def test_arrays_of_one_length_are_columns(self, npz):
        path = npz(x=np.array([0.5, 1.5]), n=np.array([1, 2]), kind=np.array(["a", "b"]))
        table = read_features(path)
        assert table.feature_names == ("x", "n")
        assert table.matrix.tolist() == [[0.5, 1], [1.5, 2]]
        assert table.left_out == {"kind": "text"}
        assert labels(table.labels("n")) == [1, 2]
        assert refusal(path, features=["kind"]).startswith(
            "column 'kind' of FILE holds 'a' in row 1, which is no number;"
        )

    def test_neither_a_matrix_nor_a_table(self, npz):
        assert refusal(npz(a=np.ones(2), b=np.ones(3))) == (
            "FILE has neither a matrix nor arrays of one length: it holds a (2,), b (3,)."
        )
        assert refusal(npz(a=np.ones(()))).endswith("it holds a ().")
        assert refusal(npz()).endswith("it holds no array.")

    @pytest.mark.parametrize("key", ["feature_names", "vocab", "columns"])
    def test_names_of_features(self, npz, key):
        table = read_features(npz(X=X, **{key: np.array(["a", "id", "y"])}, y=np.array([1, 0])))
        assert table.feature_names == ("a", "id", "y (column)")
        assert labels(table.labels("y")) == [1, 0]
        assert labels(table.labels("id")) == [1, -2]

    @pytest.mark.parametrize("names", [["a", "b"], ["a", "a", "b"], [1, 2, 3]])
    def test_what_cannot_be_names_of_features(self, npz, names):
        table = read_features(npz(X=X, vocab=np.array(names)))
        assert table.feature_names == ("1", "2", "3")

    def test_class_names(self, npz):
        names = np.array(["zebra", "ape", "cat"])
        path = npz(X=X, y=np.array([2, 0]), pred=np.array([1, 0]), class_names=names)
        table = read_features(path)
        assert labels(table.labels("y")) == ["cat", "zebra"]
        assert labels(table.labels("pred")) == [1, 0]

    @pytest.mark.parametrize(
        ("y", "names"),
        [
            ([-1, 0], ["a", "b"]),
            ([0, 2], ["a", "b"]),
            ([0, 1], ["a", "a"]),
            ([0, 1], [7, 8]),
            ([0, 1], [["a", "b"]]),
        ],
    )
    def test_class_names_that_do_not_fit(self, npz, y, names):
        table = read_features(npz(X=X, y=np.array(y), class_names=np.array(names)))
        assert labels(table.labels("y")) == y

    def test_an_array_of_another_length_is_no_label(self, npz):
        table = read_features(npz(X=X, y=np.array([1, 0, 1])))
        with pytest.raises(
            FileError, match=r"^array 'y' of .* shape \(3,\) beside a matrix of 2 r"
        ):
            table.labels("y")

    def test_fractions_are_no_labels(self, npz):
        table = read_features(npz(X=X, y=np.array([0.5, 1])))
        with pytest.raises(LabelError, match=r"^'y' of .* float labels must be whole numbers"):
            table.labels("y")

    def test_an_array_beside_the_matrix_is_no_feature(self, npz):
        message = refusal(npz(X=X, y=np.array([1, 0])), features=["1", "y"])
        assert message == "array 'y' of FILE lies beside the matrix and is no column of it."

    def test_an_unknown_label_gets_the_nearest_one(self, npz):
        message = refusal(npz(X=X, labels=np.array([1, 0])), exclude=["label"])
        assert message == "FILE has no column 'label'; did you mean labels?"

    def test_pickled_labels_are_refused_only_if_asked_for(self, npz):
        path = npz(X=X, y=np.array([Bomb(), None], object))
        table = read_features(path)
        assert np.array_equal(table.matrix, X)
        with pytest.raises(FileError, match=r"^array 'y' of .* holds Python objects, which are ne"):
            table.labels("y")
        assert "holds Python objects" in refusal(path, array="y")

    def test_a_pickled_matrix(self, npz):
        message = refusal(npz(X=np.array([[Bomb()]], object)))
        assert message.endswith("arrays of one length: it holds X (Python objects).")

    def test_hostile_names_of_arrays(self, npz):
        name = "'; DROP \x1b[31m\n"
        table = read_features(npz(**{name: np.array([1, 0]), "X": X}), exclude=[name])
        assert labels(table.labels(name)) == [1, 0]

    def test_truncated_and_damaged(self, npz):
        path = npz(X=np.random.default_rng(0).normal(size=(99, 9)), y=np.zeros(99))
        whole = path.read_bytes()
        damaged = bytearray(whole)
        damaged[200:260] = b"\xff" * 60
        for part in (whole[:5], whole[:300], whole[:-9], bytes(damaged)):
            path.write_bytes(part)
            assert refusal(path).startswith("FILE is not a whole NPZ file: ")

    @pytest.mark.parametrize("content", [b"hello", b"x,y\n1,2\n"])
    def test_junk(self, tmp_path, content):
        path = tmp_path / "points.npz"
        path.write_bytes(content)
        assert refusal(path) == "FILE is not an NPZ file."

    def test_a_zip_of_something_else(self, tmp_path):
        path = tmp_path / "points.npz"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("readme.txt", "hello")
            archive.writestr("X.npy", "hello")
        assert refusal(path).startswith("FILE is not a whole NPZ file: ")

    def test_an_array_that_claims_to_be_huge(self, tmp_path):
        stream = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "<f8", "fortran_order": False, "shape": (10**13, 10**3)}
        )
        path = tmp_path / "points.npz"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("X.npy", stream.getvalue())
        refusal(path)


class TestSparse:
    """Sparse matrices in NPZ files."""

    @pytest.mark.parametrize("format", ["csr", "csc", "coo", "bsr", "dia"])
    @pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
    def test_what_scipy_saves(self, tmp_path, format, make):
        path = tmp_path / "points.npz"
        scipy.sparse.save_npz(path, make(X).asformat(format))
        table = read_features(path)
        assert isinstance(table.matrix, scipy.sparse.csr_array)
        assert np.array_equal(table.matrix.toarray(), X)
        assert table.matrix.dtype == np.float64

    @pytest.mark.parametrize("kind", ["csr", "csc", "bsr", "coo"])
    def test_what_scipy_would_not_save(self, npz, kind):
        parts = (
            {"row": np.array([0, 99]), "col": np.array([0, 1])}
            if kind == "coo"
            else {"indices": np.array([0, 99]), "indptr": np.array([0, 1, 2])}
        )
        data = np.ones((2, 1, 1)) if kind == "bsr" else np.ones(2)
        path = npz(format=np.array(kind.encode()), shape=np.array([2, 2]), data=data, **parts)
        assert refusal(path).startswith("FILE is not a whole NPZ file: ")

    @pytest.fixture
    def corpus(self, npz):
        """Counts of words, as corpora are kept."""

        def write(**changed):
            arrays = {
                "data": np.array([3, 1, 2], np.int32),
                "indices": np.array([0, 2, 1], np.int32),
                "indptr": np.array([0, 2, 2, 3], np.int32),
                "shape": np.array([3, 4]),
                "labels": np.array([1, 0, 1]),
                "class_names": np.array(["sports", "arts"]),
                "doc_ids": np.array(["d1", "d2", "d3"]),
                "vocab": np.array(["ball", "paint", "labels", "id"]),
            }
            return npz(**{**arrays, **changed})

        return write

    def test_a_corpus(self, corpus):
        table = read_features(corpus(), exclude=["labels"])
        assert table.matrix.toarray().tolist() == [[3, 0, 1, 0], [0, 0, 0, 0], [0, 2, 0, 0]]
        assert table.matrix.dtype == np.float64
        assert table.matrix.format == "csr"
        assert table.matrix.has_canonical_format
        assert table.feature_names == ("ball", "paint", "labels (column)", "id")
        assert labels(table.labels("labels")) == ["arts", "sports", "arts"]
        assert labels(table.labels("doc_ids")) == ["d1", "d2", "d3"]
        assert labels(table.labels("ball")) == [3, 0, 0]

    def test_some_words(self, corpus):
        table = read_features(corpus(), features=["paint", "ball"])
        assert table.matrix.format == "csr"
        assert table.matrix.toarray().tolist() == [[0, 3], [0, 0], [2, 0]]

    def test_repeated_entries_are_added(self, corpus):
        path = corpus(indices=np.array([0, 0, 1], np.int32))
        assert read_features(path).matrix.toarray()[0].tolist() == [4, 0, 0, 0]

    @pytest.mark.parametrize(
        "changed",
        [
            {"indices": np.array([0, 9, 1], np.int32)},
            {"indices": np.array([0, -1, 1], np.int32)},
            {"indices": np.array([0, 1], np.int32)},
            {"indices": np.array(["a", "b", "c"])},
            {"indptr": np.array([0, 3, 2, 3], np.int32)},
            {"indptr": np.array([0, 2, 2, 9], np.int32)},
            {"indptr": np.array([0, 3], np.int32)},
            {"shape": np.array([3])},
            {"shape": np.array([-3, 4])},
            {"shape": np.array("wide")},
        ],
        ids=str,
    )
    def test_parts_that_do_not_fit(self, corpus, changed):
        assert refusal(corpus(**changed)).startswith("FILE is not a whole NPZ file: ")

    def test_not_finite(self, corpus):
        path = corpus(data=np.array([1, 2, np.nan]))
        assert refusal(path).startswith("column 'paint' of FILE has no value in row 3;")
        path = corpus(data=np.array([1, np.inf, 2], np.float32))
        assert refusal(path).startswith("column 'labels (column)' of FILE holds inf in row 1,")

    def test_no_rows(self, corpus):
        empty = np.array([], np.int32)
        path = corpus(data=empty, indices=empty, indptr=np.array([0]), shape=np.array([0, 4]))
        assert refusal(path) == "FILE has no rows."

    def test_text_for_data(self, corpus):
        refusal(corpus(data=np.array(["a", "b", "c"])))


def test_dense_arrays_load_no_engine(npz):
    code = f"""
import json, sys
from clustervet.frames import open_table
open_table({str(npz(X=X, y=np.array([1, 0])))!r}).features().labels("y")
heavy = ("duckdb", "scipy", "numba", "pandas", "polars", "pyarrow")
print(json.dumps([module for module in heavy if module in sys.modules]))
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == []


@pytest.mark.parametrize("name", ["points.npy", "points.npz"])
def test_a_pickle_is_called_one(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(b"\x80\x04]\x94.")
    assert refusal(path) == "FILE is a Python pickle; export it as CSV or Parquet."


def test_a_character_beyond_unicode_is_refused(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, np.array([("u", 1), ("v", 2)], dtype=[("y", "<U1"), ("c", "i1")]))
    path.write_bytes(path.read_bytes()[:-7] + b"\xff\xff\xff\x7f" + path.read_bytes()[-3:])
    with pytest.raises(FileError, match="a character that Unicode does not have"):
        read_features(path)
    beyond = np.array([0x110000, ord("a")], "<u4").view("<U1")
    np.savez(tmp_path / "t.npz", y=beyond, x=X[:, 0])
    with pytest.raises(
        FileError, match=r"not a whole NPZ file: a text has a character that Unicode does not have"
    ):
        read_features(tmp_path / "t.npz")


def test_a_header_that_is_an_expression_is_refused_in_plain_words(tmp_path):
    path = tmp_path / "t.npy"
    np.save(path, np.arange(2))
    path.write_bytes(path.read_bytes().replace(b"(2,), }   ", b"(2,)*40, }", 1))
    with pytest.raises(FileError, match=r"not a whole NPY file: its header cannot be read\.$"):
        read_features(path)
