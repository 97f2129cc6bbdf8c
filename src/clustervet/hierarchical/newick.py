"""Newick text: nested parentheses with names and branch lengths, read without recursion."""

from __future__ import annotations

import re
from decimal import Decimal, localcontext
from typing import NamedTuple, NoReturn

import numpy as np

from clustervet.errors import ParameterError
from clustervet.hierarchical.tree import Places, Tree
from clustervet.labels import show_label

# What a text consists of: blanks, a comment, a quoted name, a sign, or anything up to these.
PIECE = re.compile(r"\s+|\[|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[(),:;]|[^\s\[\]():;,'\"]+")
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?")
# Digits with which branch lengths are added, so that equal sums of written lengths are equal.
DIGITS = 60


class Drawn(NamedTuple):
    """A tree as it is written: for each node its parent, its name and its branch length."""

    parents: list[int]
    names: list[str]
    lengths: list[Decimal | None]
    leaves: list[int]


def read_newick(text: str) -> tuple[Tree, tuple[str, ...]]:
    """Return the tree of a Newick text, and the names of its leaves in their order."""
    drawn = _parse(text)
    names = tuple(drawn.names[leaf] for leaf in drawn.leaves)
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ParameterError(
            f"the Newick text has two leaves of the name {show_label(twice, 40)!r}; names of "
            "leaves must differ."
        )
    return _tree(drawn), names


def _parse(text: str) -> Drawn:
    """Read nodes in the order in which they are opened; parents come before their children."""
    drawn = Drawn([-1], [""], [None], [])
    node, place, wanted = 0, 0, "node"
    is_leaf = [True]
    for place, piece in _pieces(text):
        sign = piece if piece in "(),:;" else ""
        if wanted == "end":
            _refuse(text, place, "there is more text after the semicolon; give one tree")
        if wanted == "length" and sign:
            _refuse(text, place, "a branch length is missing after the colon")
        if sign == "(":
            if wanted != "node":
                _refuse(text, place, "a parenthesis opens where none can; a comma may be missing")
            is_leaf[node] = False
            node = _opened(drawn, is_leaf, node)
        elif sign in (",", ")", ";") and sign:
            _close(text, place, drawn, is_leaf, node)
            if sign == ";":
                if drawn.parents[node] >= 0:
                    _refuse(text, place, "the text ends, and a parenthesis is still open")
                wanted = "end"
                continue
            if drawn.parents[node] < 0:
                what = "a comma stands" if sign == "," else "a parenthesis is closed"
                _refuse(text, place, f"{what} outside all parentheses")
            node = drawn.parents[node]
            if sign == ",":
                node = _opened(drawn, is_leaf, node)
            wanted = "node" if sign == "," else "name"
            continue
        elif sign == ":":
            if drawn.lengths[node] is not None:
                _refuse(text, place, "a branch has two lengths")
            wanted = "length"
            continue
        elif wanted == "length":
            drawn.lengths[node] = _length(text, place, piece)
            wanted = "done"
            continue
        elif wanted in ("node", "name"):
            quote = piece[0]
            bare = piece[1:-1].replace(2 * quote, quote) if quote in "'\"" else piece
            drawn.names[node] = bare
            wanted = "named"
            continue
        else:
            _refuse(text, place, f"{show_label(piece, 20)!r} is one name too many here")
        wanted = "node"
    if wanted != "end":
        _refuse(text, len(text), "the text ends without a semicolon")
    drawn.leaves.extend(node for node, leaf in enumerate(is_leaf) if leaf)
    return drawn


def _pieces(text: str) -> list[tuple[int, str]]:
    """Return places and tokens, without blanks and comments, which may hold comments."""
    found, place = [], 0
    while place < len(text):
        matched = PIECE.match(text, place)
        if matched is None:
            signs = {"]": "a comment is closed that was not opened"}
            _refuse(text, place, signs.get(text[place], "a quoted name has no end"))
        piece = matched.group()
        if piece == "[":
            depth, end = 1, place + 1
            while depth and end < len(text):
                depth += {"[": 1, "]": -1}.get(text[end], 0)
                end += 1
            if depth:
                _refuse(text, place, "a comment has no end")
            place = end
            continue
        if not piece.isspace():
            found.append((place, piece))
        place = matched.end()
    return found


def _opened(drawn: Drawn, is_leaf: list[bool], parent: int) -> int:
    """Add a node below another one."""
    drawn.parents.append(parent)
    drawn.names.append("")
    drawn.lengths.append(None)
    is_leaf.append(True)
    return len(is_leaf) - 1


def _close(text: str, place: int, drawn: Drawn, is_leaf: list[bool], node: int) -> None:
    """Refuse a leaf without a name."""
    if is_leaf[node] and not drawn.names[node]:
        _refuse(text, place, "a leaf without a name ends")


def _length(text: str, place: int, piece: str) -> Decimal:
    if NUMBER.fullmatch(piece) is None:
        _refuse(text, place, f"the branch length {show_label(piece, 20)!r} is no number")
    found = Decimal(piece)
    if found < 0:
        _refuse(text, place, f"the branch length {show_label(piece, 20)} is negative")
    return found


def _refuse(text: str, place: int, what: str) -> NoReturn:
    near = show_label(text[max(0, place - 12) : place + 12], 40)
    raise ParameterError(
        f"the Newick text is malformed at character {place + 1:,}, near {near!r}: {what}."
    )


def _tree(drawn: Drawn) -> Tree:
    """Return the tree with its nodes in the order of their heights.

    The height of a node is the longest way from it down to a leaf. A branch of length 0 to an
    inner node is no branch: the node is as high as its parent.
    """
    count = len(drawn.parents)
    lengths = _checked(drawn)
    highs: list[Decimal] = [Decimal(0)] * count
    with localcontext() as context:
        context.prec = DIGITS
        for node in range(count - 1, 0, -1):
            parent = drawn.parents[node]
            highs[parent] = max(highs[parent], highs[node] + lengths[node])
    leaf = np.zeros(count, np.bool_)
    leaf[drawn.leaves] = True
    for node in range(1, count):  # from the root down
        if not lengths[node] and not leaf[node]:
            highs[node] = highs[drawn.parents[node]]
    heights = np.array([float(high) for high in highs])
    inner = np.flatnonzero(~leaf)
    # Of nodes that are equally high, those that were opened later are below.
    inner = inner[np.lexsort((-inner, heights[inner]))]
    numbers = np.empty(count, np.int64)
    numbers[drawn.leaves] = np.arange(len(drawn.leaves))
    numbers[inner] = len(drawn.leaves) + np.arange(len(inner))
    children: list[list[int]] = [[] for _ in inner]
    for node in range(1, count):
        children[numbers[drawn.parents[node]] - len(drawn.leaves)].append(int(numbers[node]))
    names: Places = np.argsort(numbers)
    return Tree(
        np.arange(len(drawn.leaves)),
        len(drawn.leaves),
        [tuple(below) for below in children],
        np.arange(len(inner), -1, -1),
        heights[inner],
        node_names=[drawn.names[node] for node in names.tolist()],
    )


def _checked(drawn: Drawn) -> list[Decimal]:
    """Return the length of each branch: 1 where there are none at all."""
    lacking = [node for node in range(1, len(drawn.parents)) if drawn.lengths[node] is None]
    if len(lacking) == len(drawn.parents) - 1:
        return [Decimal(1)] * len(drawn.parents)
    if lacking:
        named = drawn.names[lacking[0]]
        where = f"that of {show_label(named, 40)!r}" if named else "that of a node without a name"
        raise ParameterError(
            f"{len(lacking):,} of {len(drawn.parents) - 1:,} branches of the Newick text have no "
            f"length, such as {where}; give all lengths or none."
        )
    return [length if length is not None else Decimal(0) for length in drawn.lengths]
