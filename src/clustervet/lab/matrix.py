"""The property matrix: which measure has which property, with the counterexamples."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from string import ascii_lowercase
from typing import Any, ClassVar, Literal

from clustervet._checks import suggestion
from clustervet.errors import ParameterError
from clustervet.lab import properties
from clustervet.lab.cases import Labeling, Property
from clustervet.labels import show_label
from clustervet.registry import Measure, measures
from clustervet.view import Cell, Column, Result, Row, Section, Table, facts_table, plain, text_cell
from clustervet.view.words import short

Status = Literal["holds", "fails", "does not apply", "broken"]
MARKS: dict[Status, str] = {"holds": "✓", "fails": "✗", "does not apply": "–", "broken": "!"}
LEGEND = "✓ holds in all cases tried, ✗ fails, – does not apply, ! the measure is broken."
WANTED = {
    "=": "should equal",
    "<=": "should be at most",
    ">=": "should be at least",
    ">": "should exceed",
    "better": "should be better than",
    "as good": "should be as good as",
}
# Digits that are the same on every machine.
DIGITS = 12
PACKAGED = "matrix.json"
# At most this number of measures are shown with every answer in words; more are a table of marks.
FEW = 3
# At most this number of properties stand in one table of marks, so that it fits a terminal.
WIDEST = 18


def known_properties() -> dict[str, Property]:
    """Return every property that measures are tested for.

    Returns
    -------
    dict of str to Property
        The properties by key, in the order in which they are shown.

    Examples
    --------
    >>> list(known_properties())[:4]
    ['relabelling', 'identity', 'symmetry', 'triangle']
    >>> known_properties()["triangle"].claim
    'A detour by a third clustering is never shorter.'
    """
    return {one.key: one for one in vars(properties).values() if isinstance(one, Property)}


def choose_properties(names: str | Iterable[str] | None) -> list[Property]:
    """Return the named properties in the order given, or all of them."""
    known = known_properties()
    if names is None:
        return list(known.values())
    chosen = []
    for name in [names] if isinstance(names, str) else names:
        key = str(name).strip().lower().replace("-", "_").replace(" ", "_")
        if key not in known:
            hint = suggestion(key, known, f"there are {', '.join(known)}.")
            raise ParameterError(f"there is no property {show_label(name)!r}; {hint}")
        chosen.append(known[key])
    if not chosen:
        raise ParameterError("name at least one property, or none at all for all of them.")
    return list(dict.fromkeys(chosen))


@dataclass(frozen=True)
class Counterexample:
    """Labelings, and two numbers that are not related as the property wants.

    Parameters
    ----------
    labelings : tuple of (str, tuple of int)
        The labelings with their names.
    left, right : str
        What was compared.
    left_value, right_value : float
        The two numbers.
    relation : str
        What should hold between them, such as "<=".
    """

    labelings: tuple[tuple[str, Labeling], ...]
    left: str
    left_value: float
    relation: str
    right: str
    right_value: float

    def to_dict(self) -> dict[str, Any]:
        """Return the counterexample as plain data, its values with twelve digits.

        Returns
        -------
        dict
            The fields, with the labelings as lists by name.
        """
        values = {name: _rounded(getattr(self, name)) for name in ("left_value", "right_value")}
        labelings = {name: list(labels) for name, labels in self.labelings}
        return {**vars(self), "labelings": labelings, **values}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Counterexample:
        """Return the counterexample that `to_dict` described.

        Parameters
        ----------
        data : dict
            What `to_dict` returned.

        Returns
        -------
        Counterexample
            The record.
        """
        labelings = tuple((name, tuple(labels)) for name, labels in data["labelings"].items())
        return cls(**{**data, "labelings": labelings})

    @property
    def points(self) -> int:
        """The number of points in the labelings."""
        return max(len(labels) for _, labels in self.labelings)

    def __str__(self) -> str:
        shown = ", ".join(f"{name} = {list(labels)}" for name, labels in self.labelings)
        right = f"{self.right_value:.6g}"
        right = right if self.right == right else f"{self.right} = {right}"
        return f"{shown}: {self.left} = {self.left_value:.6g} {WANTED[self.relation]} {right}"


def _rounded(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")


@dataclass(frozen=True)
class PropertyVerdict:
    """The answer of one test: whether a measure has a property.

    Parameters
    ----------
    status : {"holds", "fails", "does not apply", "broken"}
        The answer. "holds" means in all cases tried; "broken" means that the measure itself is
        faulty.
    cases : int, optional
        Number of cases that were compared.
    undefined : int, optional
        Number of cases in which the measure has no value.
    why : str, optional
        The reason where the property does not apply or the measure is broken.
    counterexample : Counterexample, optional
        The case that fails.

    Examples
    --------
    >>> str(PropertyVerdict("holds", cases=12, undefined=2))
    'holds in all 12 cases tried; undefined in 2 more'
    """

    status: Status
    cases: int = 0
    undefined: int = 0
    why: str = ""
    counterexample: Counterexample | None = None

    @property
    def mark(self) -> str:
        """The status as one character."""
        return MARKS[self.status]

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain data.

        Returns
        -------
        dict
            The fields that are not empty.
        """
        return {name: plain(value) for name, value in vars(self).items() if value}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PropertyVerdict:
        """Return the verdict that `to_dict` described.

        Parameters
        ----------
        data : dict
            What `to_dict` returned.

        Returns
        -------
        PropertyVerdict
            The record.
        """
        example = data.get("counterexample")
        found = None if example is None else Counterexample.from_dict(example)
        return cls(**{**data, "counterexample": found})

    def __str__(self) -> str:
        if self.status == "holds":
            more = f"; undefined in {self.undefined:,} more" if self.undefined else ""
            return f"holds in all {self.cases:,} cases tried{more}"
        if self.status == "fails":
            return f"fails for {self.counterexample}"
        return f"{self.status}: {self.why}"


@dataclass(frozen=True, repr=False)
class PropertyMatrix(Mapping[str, Mapping[str, PropertyVerdict]], Result):
    """Which measure has which property: ``matrix[measure][property]`` is a verdict.

    `axioms` makes it.

    Parameters
    ----------
    records : tuple of Measure
        The measures.
    rows : mapping
        One mapping per measure from the key of a property to its `PropertyVerdict`.

    Examples
    --------
    >>> from clustervet.lab.axioms import axioms
    >>> matrix = axioms(["mirkin", "van_dongen"], ["n_invariance", "locality"])
    >>> matrix.having("locality")
    ['mirkin', 'van_dongen']
    >>> matrix.having("locality", "n_invariance")
    []
    """

    SCHEMA: ClassVar[str] = "clustervet/property-matrix/1"

    records: tuple[Measure, ...]
    rows: Mapping[str, Mapping[str, PropertyVerdict]]

    def __getitem__(self, name: str) -> Mapping[str, PropertyVerdict]:
        return self.rows[name if name in self.rows else measures[name].key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def properties(self) -> list[Property]:
        """The properties that were tested."""
        known = known_properties()
        first = next(iter(self.rows.values()), {})
        return [known[key] for key in first]

    def having(self, *properties: str) -> list[str]:
        """Return the measures for which all of some properties hold.

        Parameters
        ----------
        *properties : str
            Keys of properties.

        Returns
        -------
        list of str
            Keys of measures.

        Examples
        --------
        >>> from clustervet.lab.axioms import axioms
        >>> axioms(["mirkin", "van_dongen"], ["n_invariance"]).having("n_invariance")
        []
        """
        return [
            key
            for key, row in self.rows.items()
            if all(row[name].status == "holds" for name in properties)
        ]

    def broken(self) -> dict[str, str]:
        """Return the measures that could not be tested for every property.

        Returns
        -------
        dict of str to str
            The fault by key of the measure.

        Examples
        --------
        >>> from clustervet.lab.axioms import axioms
        >>> axioms(["mirkin", "van_dongen"], ["locality"]).broken()
        {}
        """
        found: dict[str, str] = {}
        for key, row in self.rows.items():
            names = row.get("relabelling")
            faults = [verdict.why for verdict in row.values() if verdict.status == "broken"]
            if faults:
                found[key] = faults[0]
            if names is not None and names.status == "fails":
                found[key] = f"{key} depends on the names or the order of labels"
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the matrix as plain data.

        Returns
        -------
        dict
            The properties, and for each measure what it declares and the verdicts.
        """
        said = ("title", "claim", "reference", "tested")
        return {
            "schema": self.SCHEMA,
            "properties": {
                kind.key: {name: getattr(kind, name) for name in said} for kind in self.properties
            },
            "measures": {
                record.key: {
                    "declared": declared(record),
                    "verdicts": plain(self.rows[record.key]),
                }
                for record in self.records
            },
        }

    def columns(self) -> dict[str, list[Any]]:
        """Return the verdicts as columns, one row per measure and property.

        Returns
        -------
        dict of str to list
            Measure, property, answer, numbers of cases, points, counterexample and reason.
        """
        found = [
            (key, name, verdict) for key, row in self.rows.items() for name, verdict in row.items()
        ]
        examples = [verdict.counterexample for _, _, verdict in found]
        return {
            "measure": [key for key, _, _ in found],
            "property": [name for _, name, _ in found],
            "answer": [verdict.status for _, _, verdict in found],
            "cases": [verdict.cases for _, _, verdict in found],
            "undefined": [verdict.undefined for _, _, verdict in found],
            "points": [0 if example is None else example.points for example in examples],
            "counterexample": ["" if example is None else str(example) for example in examples],
            "why": [verdict.why for _, _, verdict in found],
        }

    def document(self) -> Section:
        """Return the matrix as a document.

        Returns
        -------
        Section
            Every answer in words for a few measures, else a table of marks with a legend.
        """
        rows, few = self.rows, len(self.rows) <= FEW
        broken = [f"{why}." for why in self.broken().values()]
        return Section(
            "properties",
            "Properties of the measures",
            blocks=() if few else self._marks(),
            sections=tuple(_answers(k, *row) for k, row in enumerate(rows.items())) if few else (),
            notes=() if few else (LEGEND, *self._letters(), *broken),
            subject=self,
            measures=self.records,
            citations=tuple(dict.fromkeys(kind.reference for kind in self.properties)),
        )

    def _marks(self) -> tuple[Table, ...]:
        """Return the marks in one table, or in several of about the same width."""
        heads = [
            Column(letter, "text", hint=f"{kind.title}: {kind.claim}")
            for letter, kind in zip(ascii_lowercase, self.properties, strict=False)
        ]
        tables = -(-len(heads) // WIDEST)
        width = -(-len(heads) // tables)
        return tuple(self._some_marks(heads, k * width, (k + 1) * width) for k in range(tables))

    def _some_marks(self, heads: list[Column], first: int, end: int) -> Table:
        rows = (
            Row((text_cell(key), *(Cell(answer.mark, hint=str(answer)) for answer in answers)))
            for key, row in self.rows.items()
            for answers in [list(row.values())[first:end]]
        )
        title, key = "Which measure has which property", "properties-marks"
        if len(heads) > WIDEST:
            title += f": {heads[first].title} to {heads[min(end, len(heads)) - 1].title}"
            key += f"-{first + 1}" if first else ""
        return Table(key, title, (Column("measure", "text"), *heads[first:end]), tuple(rows))

    def _letters(self) -> list[str]:
        """Return what the letters above the columns stand for."""
        return [
            f"{letter}  {kind.title}: {len(self.having(kind.key))} of {len(self)} ({kind.key})"
            for letter, kind in zip(ascii_lowercase, self.properties, strict=False)
        ]


def _answers(place: int, key: str, row: Mapping[str, PropertyVerdict]) -> Section:
    """Return all answers about one measure; a fault that all of them share stands once."""
    facts = {f"{answer.mark} {name}": str(answer) for name, answer in row.items()}
    if len(set(facts.values())) == 1 and {answer.status for answer in row.values()} == {"broken"}:
        facts = {MARKS["broken"]: next(iter(facts.values()))}
    return measure_section(f"properties-{place}", key, facts)


def measure_section(key: str, name: str, facts: Mapping[str, str]) -> Section:
    """Return a section of facts about one measure."""
    return Section(key, short(name), blocks=(facts_table(f"{key}-facts", short(name), facts),))


def declared(record: Measure) -> dict[str, Any]:
    """Return what a record declares that the tests read."""
    names = ("better", "bounds", "perfect", "symmetric", "metric", "adjusted")
    return {name: plain(getattr(record, name)) for name in names}


@functools.cache
def _packaged() -> dict[str, Any]:
    found = files("clustervet.lab").joinpath(PACKAGED)
    if not found.is_file():
        return {}
    read: dict[str, Any] = json.loads(found.read_text(encoding="utf-8"))
    same = read.get("schema") == PropertyMatrix.SCHEMA
    return read["measures"] if same and list(read["properties"]) == list(known_properties()) else {}


def packaged_row(record: Measure) -> dict[str, PropertyVerdict] | None:
    """Return the stored verdicts on a measure of the package, None if its record has changed."""
    row = _packaged().get(record.key)
    own = record.formula.__module__.startswith("clustervet.external.")
    if row is None or not own or row["declared"] != declared(record):
        return None
    return {name: PropertyVerdict.from_dict(data) for name, data in row["verdicts"].items()}


def write_packaged(matrix: PropertyMatrix, path: Any) -> None:
    """Write the matrix that comes with the package, one line per verdict."""
    path.write_text(_lines(matrix.to_dict()) + "\n", encoding="utf-8")


def _lines(item: Any) -> str:
    """Return JSON with one line per entry of the dicts above the verdicts."""
    nested = isinstance(item, dict) and any(isinstance(x, dict) for x in item.values())
    if not nested or "status" in item:
        return json.dumps(item, ensure_ascii=False, allow_nan=False)
    return "{\n" + ",\n".join(f'"{key}": {_lines(x)}' for key, x in item.items()) + "\n}"
