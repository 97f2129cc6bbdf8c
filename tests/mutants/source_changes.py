"""Small changes to source code, one at a time, each of which a test should notice.

A change replaces one stretch of text; everything else in the file stays as it is, so that line
numbers and comments keep their places.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COMPARISONS: dict[type[ast.cmpop], tuple[str, ...]] = {
    ast.Lt: ("<=", ">="),
    ast.LtE: ("<", ">"),
    ast.Gt: (">=", "<="),
    ast.GtE: (">", "<"),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
    ast.Is: ("is not",),
    ast.IsNot: ("is",),
    ast.In: ("not in",),
    ast.NotIn: ("in",),
}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.FloorDiv: "*",
    ast.Mod: "*",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
    ast.MatMult: "*",
}
KINDS = (
    "comparison",
    "constant",
    "and or",
    "arithmetic",
    "dropped not",
    "default",
    "returned None",
    "deleted statement",
    "swapped arguments",
)
# Calls whose arguments are types, that fail at once when the arguments are swapped, or that give
# the same either way.
UNCHANGED_CALLS = {
    *("cast", "TypeVar", "isinstance", "issubclass", "hasattr", "setattr", "getattr"),
    *("max", "min", "maximum", "minimum", "hypot"),
}
# Decorators that change only speed, or what the type checker sees.
UNCHANGED_DECORATORS = {"overload", "lru_cache", "cache"}
# A limit as large as this is one of speed or memory; a test that noticed a change by one would
# only repeat it.
LARGE_LIMIT = 256


@dataclass(frozen=True)
class Change:
    """One change: the bytes from `start` to `stop` of a file become `text`."""

    file: str
    function: str
    kind: str
    line: int
    start: int
    stop: int
    text: str
    # The whole lines, with single spaces.
    before: str
    after: str
    # Lines of the function that take part when one of them is run. None for text that is run at
    # import; `body` then holds the lines of the function, or of the whole module.
    lines: range
    body: range | None

    @property
    def room(self) -> str:
        """Return the room: a folder or a module of the package."""
        return Path(self.file).parts[2].removesuffix(".py")

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Return what names the change as long as its text stays, whatever line it is on."""
        return self.file, self.function, self.before, self.after

    def apply(self, source: bytes) -> bytes:
        """Return the changed source."""
        return source[: self.start] + self.text.encode() + source[self.stop :]

    def __str__(self) -> str:
        return (
            f"{self.file}:{self.line} in {self.function}, {self.kind}\n"
            f"    - {self.before}\n    + {self.after}"
        )


def changes_of(source: bytes, file: str) -> list[Change]:
    """Return every change that can be made to a file, in the file's order."""
    found = set(_Finder(file, source).changes())
    return sorted(found, key=lambda change: (change.start, change.stop, change.text))


def still_compiles(change: Change, source: bytes) -> bool:
    """Whether the changed file is Python."""
    try:
        ast.parse(change.apply(source))
    except SyntaxError:
        return False
    return True


class _Finder:
    def __init__(self, file: str, source: bytes) -> None:
        self.file, self.source = file, source
        self.tree = ast.parse(source)
        lengths = [len(line) for line in source.splitlines(keepends=True)]
        self.starts = [0]
        for length in lengths:
            self.starts.append(self.starts[-1] + length)

    def changes(self) -> Iterator[Change]:
        whole = range(1, len(self.starts))
        yield from self.block(self.tree.body, (), whole, in_function=False)

    def block(
        self, body: list[ast.stmt], names: tuple[str, ...], body_lines: range, in_function: bool
    ) -> Iterator[Change]:
        """Yield changes to some statements."""
        for statement in body:
            if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                yield from self.function(statement, names, in_function)
            elif isinstance(statement, ast.ClassDef):
                lines = range(statement.lineno, statement.end_lineno + 1)
                yield from self.block(statement.body, (*names, statement.name), lines, False)
            elif not (_is_for_readers(statement) or (not names and _is_large_limit(statement))):
                yield from self.statement(statement, names, body_lines, in_function)

    def function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, names: tuple[str, ...], inner: bool
    ) -> Iterator[Change]:
        marks = {_name(getattr(mark, "func", mark)): mark for mark in node.decorator_list}
        if "overload" in marks:
            return
        names = (*names, node.name)
        lines = range(node.lineno, node.end_lineno + 1)
        own = range(node.body[0].lineno, node.end_lineno + 1)
        at_import = (".".join(names), range(0), own)
        values = [*node.args.defaults, *(d for d in node.args.kw_defaults if d is not None)]
        for value in values:
            for new in _other_defaults(value):
                yield self.change("default", value, new, *at_import)
        for name in marks.keys() - UNCHANGED_DECORATORS:
            for kind, target, new in self.of_expression(marks[name]):
                yield self.change(kind, target, new, *at_import)
        yield from self.block(node.body, names, lines, True)

    def statement(
        self, node: ast.stmt, names: tuple[str, ...], body_lines: range, in_function: bool
    ) -> Iterator[Change]:
        nested = [
            part
            for name in ("body", "orelse", "finalbody")
            for part in getattr(node, name, [])
            if isinstance(part, ast.stmt)
        ]
        handlers = [part for h in getattr(node, "handlers", []) for part in h.body]
        handlers += [part for case in getattr(node, "cases", []) for part in case.body]
        inside = {id(part) for part in (*nested, *handlers)}
        head_end = min((p.lineno - 1 for p in (*nested, *handlers)), default=node.end_lineno)
        lines = range(node.lineno, max(head_end, node.lineno) + 1)
        where = ".".join(names) or "module"
        reached = (lines, None) if in_function else (range(0), body_lines)
        for kind, target, new in self.of_statement(node, in_function):
            yield self.change(kind, target, new, where, *reached)
        for part in ast.iter_child_nodes(node):
            if part is getattr(node, "annotation", None) or id(part) in inside:
                continue
            if isinstance(part, ast.expr | ast.withitem):
                for kind, target, new in self.of_expression(part):
                    yield self.change(kind, target, new, where, *reached)
        yield from self.block([*nested, *handlers], names, body_lines, in_function)

    def of_statement(self, node: ast.stmt, in_function: bool) -> Iterator[tuple[str, Any, str]]:
        if isinstance(node, ast.Return) and node.value is not None:
            if not (isinstance(node.value, ast.Constant) and node.value.value is None):
                yield "returned None", node.value, "None"
        elif isinstance(node, ast.AugAssign) and type(node.op) in ARITHMETIC:
            yield "arithmetic", node, self.operator(node, node.target, node.value, node.op, "=")
            yield "deleted statement", node, "pass"
        elif in_function and isinstance(node, ast.Expr | ast.Assign | ast.Raise | ast.Delete):
            yield "deleted statement", node, "pass"

    def of_expression(self, top: ast.AST) -> Iterator[tuple[str, Any, str]]:
        for node in _walk(top):
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                (right,) = node.comparators
                for new in COMPARISONS[type(node.ops[0])]:
                    text = self.between(node, node.left, right, new)
                    yield "comparison", node, text
            elif isinstance(node, ast.BoolOp):
                new = "or" if isinstance(node.op, ast.And) else "and"
                first, second = node.values[:2]
                yield "and or", node, self.between(node, first, second, new)
            elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
                if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
                    continue
                yield "arithmetic", node, self.operator(node, node.left, node.right, node.op, "")
            elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
                inner = self.cut(self.start(node), self.end(node)).removeprefix("not").lstrip()
                yield "dropped not", node, inner
            elif isinstance(node, ast.Constant):
                for new in _other_numbers(node):
                    yield "constant", node, new
            elif isinstance(node, ast.Call):
                if _name(node.func) in UNCHANGED_CALLS or len(node.args) < 2:
                    continue
                if any(isinstance(arg, ast.Starred) for arg in node.args):
                    continue
                first, second = node.args[:2]
                if self.text(first) != self.text(second):
                    yield "swapped arguments", node, self.swapped(node, first, second)

    def operator(
        self, node: Any, left: ast.expr, right: ast.expr, op: ast.operator, end: str
    ) -> str:
        return self.between(node, left, right, ARITHMETIC[type(op)] + end)

    def between(self, node: Any, left: ast.expr, right: ast.expr, new: str) -> str:
        """Return the node's text with another operator; parentheses around it stay."""
        gap = self.cut(self.end(left), self.start(right))
        closing = gap[: len(gap) - len(gap.lstrip(" \n)"))]
        opening = gap[len(gap.rstrip(" \n(")) :]
        before, after = (
            self.cut(self.start(node), self.end(left)),
            self.cut(self.start(right), self.end(node)),
        )
        return before + closing + new + opening + after

    def swapped(self, node: Any, first: ast.expr, second: ast.expr) -> str:
        cut = self.cut
        return (
            cut(self.start(node), self.start(first))
            + self.text(second)
            + cut(self.end(first), self.start(second))
            + self.text(first)
            + cut(self.end(second), self.end(node))
        )

    def change(
        self,
        kind: str,
        node: Any,
        text: str,
        function: str,
        lines: range,
        body: range | None,
    ) -> Change:
        start, stop = self.start(node), self.end(node)
        first, last = self.starts[node.lineno - 1], self.starts[node.end_lineno]
        before = self.cut(first, last)
        after = self.cut(first, start) + text + self.cut(stop, last)
        words = (" ".join(before.split()), " ".join(after.split()))
        where = (self.file, function, kind, node.lineno, start, stop, text)
        return Change(*where, *words, lines, body)

    def text(self, node: Any) -> str:
        return self.cut(self.start(node), self.end(node))

    def cut(self, start: int, stop: int) -> str:
        return self.source[start:stop].decode()

    def start(self, node: Any) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: Any) -> int:
        return self.starts[node.end_lineno - 1] + node.end_col_offset


def _walk(top: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of an expression, but nothing within a formatted string or a type."""
    todo = [top]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, ast.Call) and _name(node.func) in ("isinstance", "issubclass", "cast"):
            todo += node.args[:1]
        elif not isinstance(node, ast.JoinedStr):  # Python 3.11 gives its parts no true positions
            todo += ast.iter_child_nodes(node)


def _is_for_readers(node: ast.stmt) -> bool:
    """Whether a statement is a docstring, an import, a check for mypy, or an alias of types."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.If):
        return "TYPE_CHECKING" in ast.unparse(node.test)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return ast.unparse(target).startswith("__") or _is_type(node.value)
    return isinstance(node, ast.Import | ast.ImportFrom | ast.Assert)


def _is_type(value: ast.expr | None) -> bool:
    """Whether a value is an alias of types, such as `NDArray[Any]` or `int | None`."""
    if isinstance(value, ast.Subscript):
        return _name(value.value) in {"NDArray", "Literal", "Callable", "Mapping", "Sequence"}
    return isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitOr)


def _is_large_limit(node: ast.stmt) -> bool:
    """Whether a module's constant is a limit of speed or memory."""
    if not isinstance(node, ast.Assign) or not ast.unparse(node.targets[0]).isupper():
        return False
    numbers = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
    return any(isinstance(n, int | float) and n >= LARGE_LIMIT for n in numbers)


def _name(node: ast.expr) -> str:
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _other_numbers(node: ast.Constant) -> list[str]:
    """Return other values of a number or a truth value."""
    value = node.value
    if isinstance(value, bool):
        return [str(not value)]
    if isinstance(value, int):
        return [str(value + 1), str(value - 1)]
    if isinstance(value, float) and value < 1e15:
        return [repr(value + 1)]
    return []


def _other_defaults(node: ast.expr) -> list[str]:
    """Return other defaults of an argument."""
    if not isinstance(node, ast.Constant):
        return []
    return ["0"] if node.value is None else _other_numbers(node)
