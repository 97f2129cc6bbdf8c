"""Label containers of every library, with labels of every type, against the table they stand for.

A recipe names an alphabet, a container and a code per object. The table that must come out
follows from the codes alone, so nothing of the product is needed to know it.
"""

from __future__ import annotations

import array
import collections
import datetime
import decimal
import enum
import fractions
import json
import random
import sys
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from fuzz.cases import Case, Kind, Verdict, failed, right, without_each
from fuzz.rooms import Job, Room, sentence_fault

AT_ONCE = 12
UTC = datetime.UTC
DAY = datetime.date(2020, 2, 28)
Alphabet = Callable[[int], list[Any]]
Colour = enum.Enum("Colour", "RED ORANGE YELLOW GREEN BLUE INDIGO VIOLET BLACK")


def _from(*labels: Any) -> Alphabet:
    """Return the first k of some labels."""
    return lambda k: list(labels[:k])


def _each(make: Callable[[int], Any]) -> Alphabet:
    """Return labels made from 0, 1, ..."""
    return lambda k: [make(i) for i in range(k)]


def _longdouble(i: int) -> Any:
    import numpy as np

    return np.longdouble(2**60) + np.longdouble(i)


def _numpy_scalar(i: int) -> Any:
    import numpy as np

    return np.int16(i)


# Eight labels at most, all different by Python's equality.
ALPHABETS: dict[str, Alphabet] = {
    "ints": _each(lambda i: i),
    "noise": _each(lambda i: i - 1),
    "negative": _each(lambda i: -7 * i - 3),
    "apart": _each(lambda i: i * 10**9),
    "near 2^31": _each(lambda i: 2**31 - 3 + i),
    "near 2^53": _each(lambda i: 2**53 - 3 + i),
    "near 2^63": _each(lambda i: 2**63 - 9 + i),
    "beyond 2^63": _each(lambda i: 2**63 - 3 + i),
    "beyond 2^64": _each(lambda i: 2**64 - 3 + i),
    "below -2^63": _each(lambda i: -(2**63) + 3 - i),
    "128 bits": _each(lambda i: 2**100 + i),
    "5,000 digits": _each(lambda i: 10**5000 + i),
    "bools": _from(False, True),
    "whole floats": _each(lambda i: float(i + 2)),
    "floats beyond 2^53": _each(lambda i: 2.0**53 + 2 * i),
    "floats beyond 2^63": _each(lambda i: 2.0**63 * (i + 1)),
    "huge floats": _each(lambda i: 1e300 * (i + 1)),
    "fractions": _each(lambda i: i + 0.5),
    "infinite": _from(float("inf"), float("-inf")),
    "complex": _each(lambda i: complex(i, 1)),
    "long doubles": _each(_longdouble),
    "numpy scalars": _each(_numpy_scalar),
    "text": _from("ash", "oak", "yew", "fir", "elm", "box", "bay", "fig"),
    "number text": _from("1", "01", "1.0", "1e0", "+1", " 1", "0x1", "１"),
    "blank text": _from("", " ", "\t", "\n", "\r\n", "\u00a0", "\u200b", "\ufeff"),
    "missing text": _from("NA", "nan", "None", "null", "N/A", "<NA>", "NaN", "NULL"),
    "accents": _from("é", "e\u0301", "É", "ﬁ", "fi", "ß", "ss", "İ"),
    "right to left": _from("\u202eabc", "\u2066x", "שלום", "\u200f", "\u202c", "عربي", "a", "b"),
    "controls": _from("\x00", "a\x00", "\x1b[31m", "\x07", "\x85", "\u2028", "\x7f", "\x9b"),
    "surrogates": _from("\ud800", "\udfff", "\udc80x", "x", "\U0001f600", "\ud83d", "y", "z"),
    "markup": _from("<script>alert(1)</script>", "&amp;", "{{7*7}}", "$x$", "\\frac", "|", "a,b",
                    '"'),
    "long text": _each(lambda i: "x" * 100_000 + str(i)),
    "bytes": _from(b"", b"a", b"\x00", b"\xff", b"a\x00", b"b", b"c", b"d"),
    "dates": _each(lambda i: DAY + datetime.timedelta(i)),
    "far dates": _from(datetime.date.min, datetime.date.max, DAY),
    "datetimes": _each(lambda i: datetime.datetime(2020, 1, 1, microsecond=i)),
    "zoned": _each(lambda i: datetime.datetime(2020, 1, 1, i, tzinfo=UTC)),
    "spans": _each(lambda i: datetime.timedelta(microseconds=i)),
    "times": _each(lambda i: datetime.time(i)),
    "decimals": _each(lambda i: decimal.Decimal(f"0.{i + 1}")),
    "rationals": _each(lambda i: fractions.Fraction(1, i + 2)),
    "uuids": _each(lambda i: uuid.UUID(int=i)),
    "enums": lambda k: list(Colour)[:k],
    "frozen sets": _each(lambda i: frozenset({i})),
    "tuples": _each(lambda i: (i, "x")),
    "types": _from(int, str, float, len, print, object, type, bool),
    "mixed": _from(3, "3", b"3", (3,), DAY, decimal.Decimal("3.5"), "three", 10**30),
    "lists": _each(lambda i: [i]),
    "dicts": _each(lambda i: {"a": i}),
    "nested": _each(lambda i: [[i]] * (i + 1)),
    "objects": _each(lambda i: object()),
}  # fmt: skip
# What every container that can hold them must accept; others may be refused in one sentence.
PLAIN = {
    "ints", "noise", "negative", "apart", "near 2^31", "near 2^53", "near 2^63", "bools",
    "whole floats", "text", "dates", "datetimes", "accents", "markup", "number text",
}  # fmt: skip
REFUSED = {"fractions", "infinite", "complex", "lists", "dicts", "nested"}


def _object_array(labels: list[Any]) -> Any:
    import numpy as np

    made = np.empty(len(labels), object)
    for place, label in enumerate(labels):
        made[place] = label
    return made


def _numpy(dtype: Any = None, change: Callable[[Any], Any] = lambda x: x) -> Callable[..., Any]:
    def make(labels: list[Any]) -> Any:
        import numpy as np

        return change(np.array(labels, dtype))

    return make


def _with_gaps(made: Any) -> Any:
    """Return a view of every third item of a larger array."""
    import numpy as np

    return np.repeat(made, 3)[1::3]


def _read_only(made: Any) -> Any:
    made.flags.writeable = False
    return made


def _swapped(made: Any) -> Any:
    return made.astype(made.dtype.newbyteorder("S"))


def _masked(made: Any) -> Any:
    import numpy as np

    return np.ma.masked_array(made, mask=False)


def _pandas(dtype: Any = None) -> Callable[..., Any]:
    def make(labels: list[Any]) -> Any:
        import pandas

        return pandas.Series(labels, dtype=dtype)

    return make


def _pandas_index(labels: list[Any]) -> Any:
    import pandas

    return pandas.Index(labels)


def _pandas_categorical(labels: list[Any]) -> Any:
    import pandas

    used = list(dict.fromkeys(labels))
    extra = ["never used"] if isinstance(labels[0], str) else []
    return pandas.Categorical(labels, categories=[*extra, *reversed(used)])


def _pandas_arrow(labels: list[Any]) -> Any:
    import pandas
    import pyarrow

    return pandas.Series(pandas.arrays.ArrowExtensionArray(pyarrow.array(labels)))


def _pandas_sparse(labels: list[Any]) -> Any:
    import pandas

    return pandas.Series(pandas.arrays.SparseArray(labels))


def _polars(dtype: str = "") -> Callable[..., Any]:
    def make(labels: list[Any]) -> Any:
        import polars

        if dtype == "Enum":
            return polars.Series(labels, dtype=polars.Enum([*dict.fromkeys(labels), "never used"]))
        return polars.Series(labels, dtype=getattr(polars, dtype) if dtype else None, strict=True)

    return make


def _arrow(kind: str = "") -> Callable[..., Any]:
    def make(labels: list[Any]) -> Any:
        import pyarrow

        return pyarrow.array(labels, getattr(pyarrow, kind)() if kind else None)

    return make


def _arrow_chunked(labels: list[Any]) -> Any:
    import pyarrow

    whole = pyarrow.array(labels)
    middle = len(labels) // 2
    return pyarrow.chunked_array([whole[:middle], whole[:0], whole[middle:]], whole.type)


def _arrow_dictionary(labels: list[Any]) -> Any:
    """Return codes into a dictionary that holds every label twice."""
    import pyarrow

    used = list(dict.fromkeys(labels))
    codes = [used.index(label) + (k % 2) * len(used) for k, label in enumerate(labels)]
    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(codes), pyarrow.array(used + used))


def _arrow_chunked_dictionary(labels: list[Any]) -> Any:
    import pyarrow

    middle = max(1, len(labels) // 2)
    parts = [part for part in (labels[:middle], labels[middle:]) if part]
    return pyarrow.chunked_array([pyarrow.array(part).dictionary_encode() for part in parts])


def _arrow_runs(labels: list[Any]) -> Any:
    import pyarrow
    import pyarrow.compute

    return pyarrow.compute.run_end_encode(pyarrow.array(labels))


CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "deque": collections.deque,
    "iterator": iter,
    "generator": lambda labels: (label for label in labels),
    "dict values": lambda labels: dict(enumerate(labels)).values(),
    "user list": collections.UserList,
    "array.array": lambda labels: array.array("q", labels),
    "memoryview": lambda labels: memoryview(array.array("q", labels)),
    "numpy": _numpy(),
    "numpy objects": _object_array,
    "numpy view": _numpy(None, _with_gaps),
    "numpy reversed": lambda labels: _numpy()(labels[::-1])[::-1],
    "numpy read-only": _numpy(None, _read_only),
    "numpy swapped": _numpy(None, _swapped),
    "numpy masked": _numpy(None, _masked),
    **{f"numpy {name}": _numpy(name) for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16",
        "float32", "float64", "longdouble", "complex128", "bool", "U", "S", "datetime64[D]",
        "datetime64[ns]", "datetime64[s]", "timedelta64[us]", "timedelta64[ns]")},
    "numpy strings": lambda labels: _numpy(__import__("numpy").dtypes.StringDType())(labels),
    "numpy rows": lambda labels: _numpy()(labels).reshape(-1, 1),
    "numpy matrix": lambda labels: __import__("numpy").asmatrix(labels),
    "numpy record": lambda labels: _numpy("i8")(labels).view([("a", "i8")]),
    "pandas": _pandas(),
    **{f"pandas {name}": _pandas(name) for name in (
        "object", "category", "string", "Int64", "UInt8", "boolean", "Float64", "float32")},
    "pandas index": _pandas_index,
    "pandas categorical": _pandas_categorical,
    "pandas arrow": _pandas_arrow,
    "pandas sparse": _pandas_sparse,
    "pandas frame": lambda labels: _pandas()(labels).to_frame(),
    "polars": _polars(),
    **{f"polars {name}": _polars(name) for name in (
        "Categorical", "Enum", "Int8", "Int128", "UInt64", "Float32", "Object", "Binary",
        "Decimal", "Boolean")},
    "polars frame": lambda labels: _polars()(labels).to_frame(),
    "arrow": _arrow(),
    **{f"arrow {name}": _arrow(name) for name in (
        "int8", "uint64", "float16", "float32", "large_string", "string_view", "binary",
        "date64", "bool_", "null")},
    "arrow chunked": _arrow_chunked,
    "arrow dictionary": _arrow_dictionary,
    "arrow chunked dictionary": _arrow_chunked_dictionary,
    "arrow runs": _arrow_runs,
    "one string": lambda labels: "".join(map(str, labels)),
    "set": set,
    "dict": dict.fromkeys,
    "nothing": lambda labels: None,
    "a number": lambda labels: 7,
    "nested lists": lambda labels: [[label] for label in labels],
}  # fmt: skip
NEVER = {
    "numpy rows", "numpy matrix", "numpy record", "pandas frame", "polars frame", "one string",
    "set", "dict", "nothing", "a number", "nested lists", "numpy complex128",
}  # fmt: skip
LOST = {"iterator", "generator"}


def draw(rng: random.Random) -> Case:
    """Draw several pairs of labelings, with policies."""
    return Case("labels", {"pairs": [_pair(rng) for _ in range(AT_ONCE)]})


def _pair(rng: random.Random) -> dict[str, Any]:
    objects = rng.choice((1, 2, 5, 12, 30))
    sides = [_side(rng, objects) for _ in range(2)]
    if rng.random() < 0.03:
        sides[0]["codes"] = sides[0]["codes"][:-1]
    return {
        "sides": sides,
        "missing": rng.choice((None, None, "raise", "drop", "class")),
        "noise": rng.choice((None, None, None, "keep", "drop", "singletons")),
    }


def _side(rng: random.Random, objects: int) -> dict[str, Any]:
    """Draw labels and a container that can hold them."""
    while True:
        odd = rng.random() < 0.08  # else what may well be accepted
        alphabets = [a for a in ALPHABETS if odd or (a not in REFUSED)]
        alphabet = rng.choice(alphabets if rng.random() < 0.6 else sorted(PLAIN))
        used = rng.randint(1, min(len(ALPHABETS[alphabet](8)), 5))
        missing = rng.random() < 0.12
        side = {
            "alphabet": alphabet,
            "container": rng.choice([c for c in CONTAINERS if odd or c not in NEVER]),
            "codes": [
                -1 if missing and rng.random() < 0.3 else rng.randrange(used)
                for _ in range(objects)
            ],
            "hole": rng.choice(("none", "nan", "NA", "NaT")),
        }
        if side["container"] == "nothing" or _made(side) is not None:
            return side


def _hole(name: str) -> Any:
    if name == "nan":
        return float("nan")
    if name == "NA":
        import pandas

        return pandas.NA
    if name == "NaT":
        import numpy as np

        return np.datetime64("NaT")
    return None


def _items(container: Any) -> list[Any] | None:
    """Return what a container holds as its own library tells it; None if that is not plain."""
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(container, method):
            found = getattr(container, method)()
            kind = getattr(getattr(container, "dtype", None), "kind", "")
            # numpy tells times in nanoseconds as numbers, which they are not.
            timed = kind in ("m", "M") and any(isinstance(item, int) for item in found)
            return found if isinstance(found, list) and not timed else None
    return list(container) if isinstance(container, collections.abc.Collection) else None


def _same(one: Any, other: Any) -> bool:
    try:
        if isinstance(other, int) and not isinstance(one, int) and hasattr(one, "is_integer"):
            return one.is_integer() and int(one) == other  # not rounded, as numpy compares them
        return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)
    except Exception:
        return False


def _is_label(item: Any) -> bool:
    """Return whether numpy made a label of a missing one: the text 'nan', or a number of NaT."""
    number = hasattr(item, "is_integer") and item == item
    return number or isinstance(item, str | bytes | int)


def _made(side: dict[str, Any]) -> Any:
    """Return a container, or None where it cannot hold such labels as they are."""
    if side["hole"] == "NaT" and -1 in side["codes"] and "arrow" in side["container"]:
        return None  # pyarrow itself crashes on numpy's NaT beside a number of numpy's
    letters = ALPHABETS[side["alphabet"]](8)
    labels = [_hole(side["hole"]) if c < 0 else letters[c] for c in side["codes"]]
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            container = CONTAINERS[side["container"]](labels)
            held = _items(CONTAINERS[side["container"]](labels))
    except KeyboardInterrupt:
        raise
    except BaseException:  # a panic of polars is no Exception, and it leaves errors that none sees
        return None
    finally:
        sys.unraisablehook = hook
    if side["container"] in NEVER or side["container"] in LOST:
        return container
    if held is None or len(held) != len(labels):
        return None
    fits = all(
        not _is_label(item) if c < 0 else _same(item, label)
        for item, label, c in zip(held, labels, side["codes"], strict=True)
    )
    return container if fits else None


class _RefusedError(Exception):
    """The pair must be refused."""


def _expected(pair: dict[str, Any]) -> list[tuple[int, int, int]]:
    """Return size of class, size of cluster and count of every cell of the right table."""
    codes = [list(side["codes"]) for side in pair["sides"]]
    if len(codes[0]) != len(codes[1]):
        raise _RefusedError
    for side in pair["sides"]:
        # Fractions that are exact, as decimals are, may be labels; so may nothing but holes.
        odd = side["alphabet"] in REFUSED and side["container"] != "polars Decimal"
        odd = odd and any(code >= 0 for code in side["codes"])
        if side["container"] in NEVER or odd:
            raise _RefusedError
    rows: list[tuple[Any, Any]] = []
    for place, row in enumerate(zip(*codes, strict=True)):
        labels: list[Any] = []
        for side, code in zip(pair["sides"], row, strict=True):
            noise = side["alphabet"] == "noise" and code == 0
            labels.append(("alone", place) if noise and pair["noise"] == "singletons" else code)
            if noise and pair["noise"] == "drop":
                labels.append("drop")
            if code < 0 and pair["missing"] == "drop":
                labels.append("drop")
            if code < 0 and pair["missing"] not in ("drop", "class"):
                raise _RefusedError
        if "drop" not in labels:
            rows.append((labels[0], labels[1]))
    if not rows:
        raise _RefusedError
    sizes = Counter(row[0] for row in rows), Counter(row[1] for row in rows)
    return sorted((sizes[0][a], sizes[1][b], x) for (a, b), x in Counter(rows).items())


def check(pairs: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what the product does wrong with the pairs, in the child."""
    warnings.simplefilter("error")
    lines, refused, checks = [], 0, 0
    for pair in pairs:
        fault, declined, made = _fault(pair)
        checks += made
        refused += declined
        if fault:
            kinds = [f"{side['container']} of {side['alphabet']}" for side in pair["sides"]]
            lines.append(f"{fault} ({' and '.join(kinds)})")
    return {"lines": lines, "refused": refused, "checks": checks}


def _fault(pair: dict[str, Any]) -> tuple[str, int, int]:
    """Return a fault, and how many pairs were refused and checked."""
    import clustervet as cv
    from clustervet.errors import ClustervetError

    options = {name: pair[name] for name in ("missing", "noise") if pair[name] is not None}
    containers = [_made(side) for side in pair["sides"]]
    nothing = [side["container"] == "nothing" for side in pair["sides"]]
    if any(c is None and not n for c, n in zip(containers, nothing, strict=True)):
        return "", 0, 0
    holes = any(code < 0 for side in pair["sides"] for code in side["codes"])
    plain = not holes and all(side["alphabet"] in PLAIN for side in pair["sides"])
    try:
        wanted = _expected(pair)
    except _RefusedError:
        wanted = None
    try:
        table = cv.Contingency.from_labels(*containers, **options)
        found = _cells(table)
        if not any(side["container"] in LOST for side in pair["sides"]):
            _show(cv, containers, options)
    except ClustervetError as error:
        # What is quoted from a text that is no list of labels is not the product's own.
        quoted = [text for text in containers if isinstance(text, str) and text]
        said = str(error)
        for text in quoted:
            said = said.replace(text, "a text")
        if fault := sentence_fault(said):
            return f"refused, but {fault}: {str(error)[:200]}", 0, 1
        lost = any(side["container"] in LOST for side in pair["sides"])
        if wanted is not None and plain and not lost:
            return f"refused plain labels: {str(error)[:200]}", 0, 1
        return "", 1, 1
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}", 0, 1
    if wanted is None:
        return "accepted what cannot be labels, or labels that are missing", 0, 1
    return ("", 0, 1) if found == wanted else (f"counted {found}, not {wanted}"[:400], 0, 1)


def _cells(table: Any) -> list[tuple[int, int, int]]:
    cells = {key: x for key, x in table.to_dict().items() if x}
    sizes: tuple[Counter[Any], Counter[Any]] = Counter(), Counter()
    for (row, column), x in cells.items():
        sizes[0][row] += x
        sizes[1][column] += x
    return sorted((sizes[0][a], sizes[1][b], x) for (a, b), x in cells.items())


def _show(cv: Any, containers: list[Any], options: dict[str, Any]) -> None:
    """Show results in every form; labels that cannot be shown raise."""
    card = cv.external_scores(*containers, **options)
    told = cv.diagnose(*containers, **options)
    for result in (card, told):
        repr(result)
        json.loads(result.to_json())
        for text in (result._repr_html_(), result.to_markdown(), result.to_latex()):
            if "<script>" in text and text is result._repr_html_():
                raise AssertionError("markup of a label is not escaped")
        result.to_csv()


def run(case: Case, room: Room) -> Verdict:
    """Count every pair of labelings, and compare with the table it stands for."""
    room.enter({})
    ran = room.run(Job(call="fuzz.labels:check", argument=case.recipe["pairs"]))
    if ran.code or ran.timed_out:
        last = (ran.err.strip().splitlines() or [""])[-1]
        return failed(f"labels: exit code {ran.code}: {last}", str(ran))
    answer = json.loads(ran.out)
    if answer["lines"]:
        return failed(answer["lines"][0], "\n".join(answer["lines"]))
    if answer["checks"] and answer["refused"] == answer["checks"]:
        return Verdict("refused", checks=answer["checks"])
    return right(answer["checks"])


def smaller(case: Case) -> Iterator[Case]:
    """Yield single pairs, then pairs of fewer objects in plainer containers."""
    pairs = case.recipe["pairs"]
    if len(pairs) > 1:
        yield from (case.having(pairs=[pair]) for pair in pairs)
        return
    (pair,) = pairs
    for option in ("missing", "noise"):
        if pair[option] is not None:
            yield case.having(pairs=[pair | {option: None}])
    for at, side in enumerate(pair["sides"]):
        plainer = {"container": "list", "alphabet": "ints"}
        if side["alphabet"] != "ints" or side["container"] != "list":
            yield case.having(pairs=[pair | {"sides": _replaced(pair["sides"], at, plainer)}])
            yield case.having(
                pairs=[pair | {"sides": _replaced(pair["sides"], at, {"container": "list"})}]
            )
    length = min(len(side["codes"]) for side in pair["sides"])
    for rest in without_each(list(range(length)), least=1):
        sides = [side | {"codes": [side["codes"][k] for k in rest]} for side in pair["sides"]]
        yield case.having(pairs=[pair | {"sides": sides}])


def _replaced(sides: list[dict[str, Any]], at: int, parts: dict[str, Any]) -> list[dict[str, Any]]:
    changed = sides[at] | parts
    if changed == sides[at]:
        changed = sides[at]
    return [*sides[:at], changed, *sides[at + 1 :]]


KIND = Kind("labels", 10, draw, run, smaller)
