from __future__ import annotations

import gzip
import subprocess
import sys

import numpy as np
import pytest

import clustervet as cv

COLUMNS = ("-t", "kind", "-p", "kmeans")


def test_a_misspelt_column_gets_the_nearest_one(refused, table):
    line = refused("score", table, "-t", "kind", "-p", "kmaens")
    assert line.endswith("has no column 'kmaens'; did you mean kmeans?")


def test_columns_that_are_not_named_are_listed(refused, table):
    line = refused("score", table)
    assert "name a column with --truth and --pred" in line
    assert "kind, size, kmeans, hdbscan, same, weight" in line
    assert "name a column with --pred" in refused("score", table, "-t", "kind")


def test_columns_of_two_files_that_are_not_named(refused, table, file):
    other = file("0\n1\n", "pred.txt")
    assert "with --truth" in refused("score", table, other)
    assert "with --pred" in refused("score", other, table)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-m", "rnad"], ["there is no measure 'rnad'", "did you mean rand"]),
        (["-m", "xyzzy"], ["there is no measure 'xyzzy'", "clustervet measures"]),
        (["-m", "rand,,vi"], ["measure"]),
        (["-m", ","], ["measure"]),
        (["-m", ""], ["measure"]),
        (["--family", "piars"], ["there is no family or field 'piars'", "pairs"]),
        (["--format", "yaml"], ["yaml", "table", "json", "csv", "markdown"]),
        (["--missing", "ignore"], ["ignore", "raise", "drop", "class"]),
        (["--noise", "dorp"], ["a noise policy is one of keep, drop, singletons, not 'dorp'"]),
        (["--noise", "x=dorp"], ["a noise policy is one of keep, drop, singletons, not 'dorp'"]),
        (["--weights", "nothing"], ["has no column 'nothing'"]),
        (["--weights", "size"], ["column size", "which is no weight"]),
        (["--weights", "hdbscan"], ["weights must not be negative", "-1"]),
        (["--delimiter", "xx"], ["a delimiter is one character, not 'xx'"]),
        (["--delimiter", ""], ["a delimiter is one character"]),
        (["--bogus"], ["--bogus"]),
        (["--format"], ["--format"]),
    ],
    ids=" ".join,
)
def test_a_wrong_option_is_refused_in_one_line(refused, table, options, words):
    line = refused("score", table, *COLUMNS, *options)
    for word in words:
        assert word in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["score"], ["table"]),
        (["scroe"], ["scroe"]),
        (["measures", "rnad"], ["there is no measure 'rnad'", "did you mean rand"]),
        (["measures", "--family", "piars"], ["there is no family or field 'piars'"]),
        (["measures", "rand", "vi"], ["vi"]),
        (["demo", "extra"], ["extra"]),
        (["--bogus"], ["--bogus"]),
        (["score", "-", "-"], ["only one of the two files can be standard input"]),
        (["score", "nowhere.csv"], ["nowhere.csv cannot be read: no such file or directory"]),
    ],
    ids=" ".join,
)
def test_a_wrong_command_is_refused_in_one_line(refused, arguments, words):
    line = refused(*arguments)
    for word in words:
        assert word in line.lower()


def test_three_files_are_too_many(refused, table):
    line = refused("score", table, table, table)
    assert "one table or two label files are wanted, not 3 files" in line


def test_weights_do_not_go_with_two_files(refused, file):
    one, two = file("a\na\n", "one.txt"), file("0\n0\n", "two.txt")
    assert "--weights" in refused("score", one, two, "--weights", "w")


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ("-1", "must not be negative"),
        ("inf", "must be finite"),
        ("nan", "weight"),
        ("", "weight"),
        ("many", "holds 'many'"),
        ("1,5", "line 2"),
        ("0", "all zero"),
    ],
)
def test_bad_weights(refused, file, weights, words):
    path = file(f"y,c,w\na,0,{weights}\nb,0,0\n")
    assert words in refused("score", path, "-t", "y", "-p", "c", "--weights", "w")


WHOLE = gzip.compress(b"y,c\n" + b"a,0\nb,1\n" * 2_000)
FILES = {
    "empty": (b"", "is empty"),
    "blank": (b"\n\n", "is empty"),
    "only a header": (b"y,c\n", "has a header and no rows"),
    "not UTF-8": (b"y,c\nK\xe4se,0\n", "is not UTF-8 text"),
    "binary": (b"\x7fELF\0\0\0" * 99, "is a binary file"),
    "ragged": (b"y,c\na,0\nb\n", "line 3 of"),
    "twice the same name": (b"y,y\na,0\n", "columns named 'y'"),
    "an open quote": (b'y,c\n"a,0\n', "is not well-formed delimited text"),
    "one column": (b"a\nb\na\n", "--truth and --pred"),
    "missing labels": (b"y,c\na,0\n,1\n", "missing label"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_table(refused, file, name):
    content, words = FILES[name]
    assert words in refused("score", file(content))
    assert words in refused("score", "-", stdin=content)
    assert words in refused("score", file(gzip.compress(content), "table.csv.gz"))


@pytest.mark.parametrize(
    "name", ["empty", "blank", "not UTF-8", "binary", "ragged", "an open quote"]
)
def test_a_second_file_that_holds_no_labels(refused, file, name):
    content, words = FILES[name]
    good = file("a\na\n", "good.txt")
    assert words in refused("score", good, file(content, "bad.txt"))
    assert words in refused("score", file(content, "bad.txt"), good)


def test_half_a_gzip_file(refused, file):
    for part in (WHOLE[:5], WHOLE[:-9], WHOLE[: len(WHOLE) // 2]):
        assert "is not a whole gzip file" in refused("score", file(part, "table.csv.gz"))


def test_a_directory(refused, tmp_path):
    assert "is a directory, not a file" in refused("score", tmp_path)


def test_unequal_lengths(refused, file):
    one, two = file("a\na\nb\n", "one.txt"), file("0\n0\n", "two.txt")
    line = refused("score", one, two)
    assert "truth has 3 labels and pred has 2" in line


def test_nothing_left_once_noise_is_dropped(refused, file):
    path = file("y,c\na,-1\nb,-1\n")
    assert "no object is left" in refused("score", path, "--noise", "drop")


HOSTILE = "evil\x1b[31m\x9b31m\u202e\n\"quote'\x07"


def test_hostile_names_are_spelled_out_in_messages(refused, file, tmp_path):
    refused("score", tmp_path / HOSTILE)
    refused("score", file(b"", HOSTILE))
    refused("score", file(b"y,c\na\n", HOSTILE))
    quoted = HOSTILE.replace('"', '""')
    columns = file(f'"{quoted}",b,c\n1,2,3\n')
    refused("score", columns)
    refused("score", columns, "-t", HOSTILE + "x", "-p", "b")
    refused("score", columns, "-t", "nothing", "-p", "b")
    refused("score", file(f'"{quoted}","{quoted}"\n1,2\n'))
    weights = file(f'y,c,"{quoted}"\na,0,"{quoted}"\n')
    refused("score", weights, "-t", "y", "-p", "c", "--weights", HOSTILE)


@pytest.mark.parametrize(
    "arguments",
    [
        ["-m", HOSTILE],
        ["--family", HOSTILE],
        ["--noise", HOSTILE],
        ["--noise", f"x={HOSTILE}"],
        ["--delimiter", HOSTILE],
        ["-o", f"/nowhere/{HOSTILE}"],
        ["--format", HOSTILE],
        ["--missing", HOSTILE],
        [f"--{HOSTILE}"],
    ],
    ids=lambda arguments: arguments[0][:6],
)
def test_hostile_arguments_are_spelled_out_in_messages(refused, table, arguments):
    refused("score", table, *COLUMNS, *arguments)


def test_a_hostile_command_is_spelled_out(refused):
    refused(HOSTILE)
    refused("measures", HOSTILE)


@pytest.mark.parametrize("format", ["table", "markdown", "json"])
def test_hostile_column_names_are_spelled_out_in_answers(run, file, format):
    quoted = HOSTILE.replace('"', '""')
    path = file(f'y,"{quoted}",c\na,0,0\nb,1,0\n')
    ran = run("score", path, "-t", "y", "-p", HOSTILE, "-p", "c", "-m", "rand", "-f", format)
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out
    if format in ("table", "markdown"):
        assert ran.out.replace("\n", "").isprintable()


def test_a_hostile_header_is_spelled_out_in_the_note_about_it(run, file):
    quoted = HOSTILE.replace('"', '""')
    ran = run(
        *("score", file(f'"{quoted}"\na\na\n', "one.txt"), file("0\n0\n", "two.txt")),
        *("-m", "rand", "-f", "json"),
    )
    assert ran.code == 0
    assert len(ran.err.splitlines()) == 1
    assert ran.err.rstrip("\n").isprintable()


def test_our_own_mistakes_are_not_blamed_on_the_user(run, table):
    @cv.measure(title="Broken", family="mine", better="higher", bounds=(0, 1))
    def broken(table):
        """It fails."""
        raise RuntimeError("a mistake of ours")

    try:
        with pytest.raises(RuntimeError, match="a mistake of ours"):
            run("score", table, *COLUMNS, "-m", "broken")
    finally:
        cv.measures.remove("broken")


def test_a_label_of_noise_may_have_any_number_of_digits(run, file):
    many = "9" * 5_000
    path = file(f"y,c\na,{many}\na,0\nb,1\n")
    ran = run("score", path, "--noise", f"{many}=drop", "-m", "rand", "-f", "json")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("package", "named", "needing"),
    [
        ("plotly", "plotly", ["report", *COLUMNS, "-o"]),
        ("jinja2", "jinja2", ["report", *COLUMNS, "-o"]),
        ("sklearn", "scikit-learn", ["tune", "--features", "kmeans,weight", "-o"]),
    ],
)
def test_a_package_that_is_not_installed_is_named(table, package, named, needing):
    """Only what needs the package needs it."""
    code = f"""
import sys
sys.modules[{package!r}] = None
from clustervet.cli import main
main()
"""
    page = table.with_suffix(".html")
    command, *options = needing
    for argv, ends in (
        (["score", table, *COLUMNS, "-m", "rand"], 0),
        ([command, table, *options, page], 2),
    ):
        called = [sys.executable, "-c", code, *map(str, argv)]
        ended = subprocess.run(called, capture_output=True, text=True, timeout=120)
        assert ended.returncode == ends, ended.stderr
        if ends:
            assert ended.stderr == (
                f"clustervet: this needs the package {named}, which is not installed; install it "
                "with pip.\n"
            )
            assert not page.exists()


def test_files_with_ids_are_not_paired_by_rows_though_an_id_is_there_twice(refused, tmp_path):
    order = [*range(1, 60), 5]
    truth = "".join(f"{k},{k % 3}\n" for k in range(60))
    pred = "".join(f"{k},{k % 3}\n" for k in order)
    (tmp_path / "t.csv").write_text("id,y\n" + truth)
    (tmp_path / "p.csv").write_text("id,p\n" + pred)
    line = refused("score", tmp_path / "t.csv", tmp_path / "p.csv", "-t", "y", "-p", "p")
    assert "has different values, with 59 of them in both" in line


@pytest.mark.parametrize("command", [["score", "e.npy"], ["score"], ["compare"], ["tune"]])
def test_an_array_without_columns_is_refused(refused, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    np.save("e.npy", np.zeros((5, 0)))
    assert refused(*command, "e.npy") == "clustervet: e.npy has no columns."
