"""Advice: needs in plain words, and the measures that meet them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from clustervet._checks import nearest
from clustervet.errors import ParameterError
from clustervet.lab.axioms import axioms
from clustervet.lab.matrix import PropertyMatrix, known_properties, measure_section
from clustervet.labels import show_label
from clustervet.registry import Measure
from clustervet.registry import measures as registry
from clustervet.view import Result, Section, plain_table

# Number of measures that are shown where none meets all needs.
NEAREST = 8


@dataclass(frozen=True)
class Need:
    """Something that people may need of a measure, and the properties that it stands for.

    `name` and `also` are its names, `meaning` says it in words, and `bounded` asks for two finite
    bounds as well.
    """

    name: str
    properties: tuple[str, ...]
    meaning: str
    also: tuple[str, ...] = ()
    bounded: bool = False


NEEDS = (
    Need(
        "metric", ("identity", "symmetry", "triangle"), "a distance in every sense", ("distance",)
    ),
    Need(
        "chance-adjusted",
        ("constant_baseline",),
        "random clusterings score alike, however many clusters they have",
        ("adjusted", "chance", "corrected for chance", "baseline", "random"),
    ),
    Need(
        "different k",
        ("homogeneity", "completeness"),
        "numbers of clusters differ: neither more clusters nor fewer pay by themselves",
        ("different numbers of clusters", "number of clusters"),
    ),
    Need(
        "different n",
        ("n_invariance",),
        "data sets of different sizes are compared",
        ("different sizes", "across data sets"),
    ),
    Need("additive", ("convex_additivity",), "parts of the data add up", ("parts",)),
    Need("local", ("locality",), "what is the same in both clusterings does not count"),
    Need(
        "aligned",
        ("vertical_collinearity", "horizontal_collinearity"),
        "splits and merges are straight lines",
        ("lattice",),
    ),
    Need("bounded", ("bounds",), "a fixed best and worst value", ("normalized",), bounded=True),
    Need("symmetric", ("symmetry",), "no clustering is the truth", ("no truth",)),
    Need(
        "small classes",
        ("size_balance",),
        "a small class counts as much as a large one",
        ("imbalance", "imbalanced", "unequal sizes"),
    ),
    Need("purity", ("homogeneity",), "clusters that mix classes are punished", ("no mixing",)),
    Need("unity", ("completeness",), "classes that fall apart are punished", ("no splitting",)),
    Need("noise", ("rag_bag",), "a cluster for all that is left over is right", ("leftovers",)),
    Need(
        "shared clusters",
        ("common_clusters",),
        "clusters that both clusterings have can be left out",
        ("clusters in common",),
    ),
)


def vocabulary() -> dict[str, Need]:
    """Return every need by each of its names; the key of a property is a need as well.

    >>> vocabulary()["different k"].properties
    ('homogeneity', 'completeness')
    """
    found: dict[str, Need] = {}
    for need in NEEDS:
        found |= {_normal(name): need for name in (need.name, *need.also)}
    for kind in known_properties().values():
        found.setdefault(_normal(kind.key), Need(kind.key, (kind.key,), kind.claim))
    return found


def _normal(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())


def read_needs(names: Iterable[str] | str) -> list[Need]:
    """Return the needs that words name; an unknown word gives the list of the known ones."""
    known = vocabulary()
    chosen = []
    for name in [names] if isinstance(names, str) else names:
        need = known.get(_normal(str(name)))
        if need is None:
            near = nearest(_normal(str(name)), known)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise ParameterError(
                f"no need is called {show_label(name)!r}; {hint}needs are "
                f"{', '.join(dict.fromkeys(need.name for need in known.values()))}."
            )
        chosen.append(need)
    if not chosen:
        raise ParameterError(
            f"say what is needed: {', '.join(need.name for need in NEEDS)}, or a property."
        )
    return list(dict.fromkeys(chosen))


@dataclass(frozen=True)
class AdvisedMeasure:
    """A measure, the needed properties that it lacks, and why it lacks each of them."""

    record: Measure
    lacks: dict[str, str]

    @property
    def missing(self) -> tuple[str, ...]:
        """The needed properties that it lacks."""
        return tuple(self.lacks)

    @property
    def read_as(self) -> str:
        """How the measure is read as a distance."""
        if self.record.better == "higher" and self.record.perfect is not None:
            return f"{self.record.perfect:g} - {self.record.key}"
        return self.record.key


@dataclass(frozen=True, repr=False)
class Advice(Result):
    """The measures that meet all needs, or else those that lack the fewest properties.

    Parameters
    ----------
    needs : tuple of Need
        What was asked for.
    found : tuple of AdvisedMeasure
        The measures that meet all needs.
    nearest : tuple of AdvisedMeasure
        Where there are none, the measures that lack the fewest properties.

    Examples
    --------
    >>> found = advise(["metric", "different n"])
    >>> len(found.needs), "variation_of_information" in found.measures
    (2, True)
    """

    SCHEMA: ClassVar[str] = "clustervet/advice/1"

    needs: tuple[Need, ...]
    found: tuple[AdvisedMeasure, ...]
    nearest: tuple[AdvisedMeasure, ...]

    @property
    def measures(self) -> list[str]:
        """The keys of the measures that meet all needs."""
        return [one.record.key for one in self.found]

    def to_dict(self) -> dict[str, Any]:
        """Return the advice as plain data.

        Returns
        -------
        dict
            The needs with their properties, the measures that meet them, and the nearest ones.
        """
        return {
            "schema": self.SCHEMA,
            "needs": {need.name: list(need.properties) for need in self.needs},
            "measures": self.measures,
            "nearest": {one.record.key: one.lacks for one in self.nearest},
        }

    def columns(self) -> dict[str, list[Any]]:
        """Return the measures as columns, one row per measure.

        Returns
        -------
        dict of str to list
            Measure, title, what it lacks, when to use it, and why it lacks something.
        """
        shown = self.found or self.nearest
        return {
            "measure": [one.record.key for one in shown],
            "title": [one.record.title for one in shown],
            "lacks": [", ".join(one.missing) for one in shown],
            "use": [one.record.use for one in shown],
            "why": ["; ".join(one.lacks.values()) for one in shown],
        }

    def document(self) -> Section:
        """Return the advice as a document.

        Returns
        -------
        Section
            A table of the measures, or one section per measure with what it lacks.
        """
        columns = self.columns()
        heads = {"measure": "measure", "title": "title", "use when": "use"}
        table = plain_table(
            "advice-measures",
            "Measures that meet all needs",
            {head: columns[name] for head, name in heads.items()},
        )
        none = "No measure has all of that; these lack least."
        notes = [
            f"{need.name}: {need.meaning} ({', '.join(need.properties)})." for need in self.needs
        ]
        turned = [one.read_as for one in self.found if one.read_as != one.record.key]
        if turned and any(need.name == "metric" for need in self.needs):
            notes.append(f"As a distance, read {', '.join(turned)}.")
        return Section(
            "advice",
            "Measures that have what is needed",
            paragraphs=() if self.found else (none,),
            blocks=(table,) if self.found else (),
            sections=tuple(
                measure_section(f"advice-{k}", one.record.key, one.lacks)
                for k, one in enumerate(self.nearest)
            ),
            notes=tuple(notes),
            subject=self,
            measures=tuple(one.record for one in self.found or self.nearest),
        )


def advise(needs: Iterable[str] | str, matrix: PropertyMatrix | None = None) -> Advice:
    """Find the measures that meet some needs, from the property matrix.

    Parameters
    ----------
    needs : str or iterable of str
        What is needed, in words such as "metric", "chance-adjusted", "different k" or
        "bounded"; the key of a property is a need as well.
    matrix : PropertyMatrix, optional
        The measures to choose from, as `axioms` returns them. The general external ones by default.

    Returns
    -------
    Advice
        The measures that meet all needs, or those that lack the fewest properties.

    Raises
    ------
    ParameterError
        If a need is unknown, or the matrix was not made for it.

    Examples
    --------
    >>> advise(["metric", "different n", "aligned"]).measures
    ['mirkin_invariant', 'variation_of_information']
    >>> advise(["metric", "chance-adjusted"]).measures
    []
    """
    asked = read_needs(needs)
    if matrix is None:
        matrix = axioms(registry.select(kind="external", general=True))
    wanted = list(dict.fromkeys(key for need in asked for key in need.properties))
    tested = {kind.key for kind in matrix.properties}
    untested = [key for key in wanted if key not in tested]
    if untested:
        raise ParameterError(f"the matrix given was not made for {', '.join(untested)}.")
    everyone = [
        _advised(record, wanted, matrix, bounded=any(need.bounded for need in asked))
        for record in matrix.records
        if record.better != "neither"
    ]
    found = [one for one in everyone if not one.missing]
    near = sorted(everyone, key=lambda one: len(one.missing))[:NEAREST]
    return Advice(tuple(asked), tuple(found), () if found else tuple(near))


def _advised(
    record: Measure, wanted: list[str], matrix: PropertyMatrix, *, bounded: bool
) -> AdvisedMeasure:
    row = matrix[record.key]
    lacks = {key: str(row[key]) for key in wanted if row[key].status != "holds"}
    if bounded and not all(map(math.isfinite, record.bounds)):
        lacks.setdefault("bounds", "it declares no bound on one side at least")
    return AdvisedMeasure(record, lacks)
