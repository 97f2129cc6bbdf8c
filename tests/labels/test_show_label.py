from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clustervet.labels import show_label


def test_a_plain_label_is_shown_as_it_is():
    assert show_label("Käse 3") == "Käse 3"
    assert show_label(3) == "3"
    assert show_label(None) == "None"
    assert show_label(("a", 1)) == "('a', 1)"
    assert show_label("") == ""
    assert show_label("日本語") == "日本語"


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("a\nb", r"a\nb"),
        ("a\rb", r"a\rb"),
        ("a\tb", r"a\tb"),
        ("a\0b", r"a\x00b"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x9b31m", r"\x9b31m"),
        ("\x07\x08\x7f", r"\x07\x08\x7f"),
        ("a\u2028b", r"a\u2028b"),
        ("\u202egnp.exe", r"\u202egnp.exe"),
        ("\u200fx\u200e", r"\u200fx\u200e"),
        ("\u2066x\u2069", r"\u2066x\u2069"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("\ufeffa", r"\ufeffa"),
    ],
)
def test_what_would_move_the_cursor_or_turn_text_around_is_spelled_out(label, shown):
    assert show_label(label) == shown


def test_a_lone_surrogate_is_spelled_out():
    assert show_label("\udcff") == r"\udcff"
    show_label("\udcff").encode("utf-8")


def test_a_megabyte_of_text_is_cut():
    assert show_label("x" * 10**6, 10) == "x" * 9 + "…"


def test_a_megabyte_of_escapes_is_cut_too():
    assert len(show_label("\x1b" * 10**6)) <= 32


def test_a_label_that_just_fits_is_not_cut():
    assert show_label("x" * 32) == "x" * 32
    assert show_label("x" * 33) == "x" * 31 + "…"


def test_an_object_with_a_hostile_text_form():
    class Hostile:
        def __str__(self):
            return "\x1b]0;title\x07" * 1000

    shown = show_label(Hostile())
    assert "\x1b" not in shown
    assert len(shown) <= 32


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(), max_size=200), st.integers(2, 60))
def test_any_text_becomes_one_short_printable_line(label, width):
    shown = show_label(label, width)
    assert len(shown) <= width
    assert shown.isprintable()
    assert not any(unicodedata.bidirectional(c) in ("RLO", "LRO", "RLE", "LRE") for c in shown)
    shown.encode("utf-8")


def test_a_number_of_more_digits_than_python_writes():
    assert show_label(10**5000, 60) == "a number of about 5,000 digits"
