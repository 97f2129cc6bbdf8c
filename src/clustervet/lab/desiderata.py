"""Dom's desiderata P1 to P5, tried on any external measure over a grid of his family."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np

from clustervet.errors import ParameterError, Setting
from clustervet.lab.family import (
    PLAIN,
    FamilyCase,
    Grid,
    MeasureFault,
    MeasureTrial,
    Point,
    check_objects,
    chosen_measures,
    describe,
    run_trials,
)
from clustervet.registry import Measure, check_options
from clustervet.view import Cell, Column, Result, Row, Section, Table, number_cell, plain, text_cell

# Dom 2001, §7.2.2 and Table 5: sequences that fail, with 5 classes and 500 objects. The paper
# counts P1 and P2 together; by its description all of these failures are of P2.
PRINTED = {
    "P1": dict.fromkeys(("rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming"), 0),
    "P2": {"rand": 12, "fowlkes_mallows": 0, "hubert_gamma": 0, "jaccard": 0, "hamming": 2},
    "P3": {"rand": 120, "fowlkes_mallows": 103, "hubert_gamma": 120, "jaccard": 80, "hamming": 120},
    "P4": dict.fromkeys(("rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming"), 0),
    "P5": {"rand": 29, "fowlkes_mallows": 0, "hubert_gamma": 0, "jaccard": 0, "hamming": 0},
}
PRINTED_FOR = ("dom_q2", "dom_q0")
PAPER_OBJECTS = 500.0


@dataclass(frozen=True)
class Rule:
    """A desideratum: how a measure must change as one parameter grows and all others stay."""

    key: str
    varied: str
    sign: int
    holds_for: Callable[[Point], bool]


# Table 4 of Dom 2001. P4 and P5 allow equality with one useful or no noise cluster. That needs no
# case of its own: the error can only be 0 there, so there is no sequence.
RULES = (
    Rule("P1", "useful", 1, lambda point: point.useful <= point.classes),
    Rule("P2", "useful", -1, lambda point: point.useful >= point.classes),
    Rule("P3", "noise", -1, lambda point: True),
    Rule("P4", "error_useful", -1, lambda point: True),
    Rule("P5", "error_noise", -1, lambda point: True),
)


# What is the same, the places of cases that differ in one parameter, and its growing values.
_Sequence = tuple[dict[str, Any], list[int], list[float]]


class BrokenStep(NamedTuple):
    """Two neighbours in a sequence that break its rule.

    The parameter goes from `start` to `end`, the value from `before` to `after`; `tie` says that
    the value does not change.
    """

    start: float
    end: float
    before: float
    after: float
    tie: bool


@dataclass(frozen=True)
class RuleFailure:
    """A sequence that breaks a rule.

    `held` are the parameters that stay the same, `varied` names the one that grows, and `steps`
    are the steps that break the rule.
    """

    measure: str
    desideratum: str
    held: dict[str, Any]
    varied: str
    steps: tuple[BrokenStep, ...]

    @property
    def parameters(self) -> dict[str, Any]:
        """All parameters; of the varied one both ends of the first broken step."""
        return {**self.held, self.varied: (self.steps[0].start, self.steps[0].end)}

    def to_dict(self) -> dict[str, Any]:
        """Return the parameters and the steps as plain data.

        Returns
        -------
        dict
            The fields, without the measure and the rule.
        """
        return {"held": self.held, "varied": self.varied, "steps": plain(self.steps)}

    def __str__(self) -> str:
        first = self.steps[0]
        said = "stays" if first.tie else f"becomes {first.after:.6g}"
        return (
            f"{self.desideratum} {self.measure} at {describe(self.held)}: {first.before:.6g} {said}"
            f" as {self.varied} goes from {first.start:.4g} to {first.end:.4g}"
        )


@dataclass(frozen=True)
class RuleVerdict:
    """Counts of one rule on one measure: sequences and steps tried, and those that break it."""

    measure: str
    desideratum: str
    sequences: int
    failed: int
    steps: int
    failed_steps: int
    tied_steps: int


class Difference(NamedTuple):
    """A count that the paper prints but its own rule does not give."""

    desideratum: str
    measure: str
    printed: int
    found: int


@dataclass(frozen=True, repr=False)
class Desiderata(Result):
    """Dom's rules P1 to P5 on several measures; `desiderata` makes it.

    Parameters
    ----------
    over : Grid
        The members of the family that were tried.
    n : float
        Number of objects in each table.
    tolerance : float
        Share of the value that counts as no change.
    records : tuple of Measure
        The measures, in the order asked for.
    tried : dict of str to int
        Number of sequences per rule.
    verdicts : dict
        ``verdicts["P3"]["rand"]`` has the counts of a rule and a measure.
    failures : dict
        ``failures["P3"]["rand"]`` has the sequences that break the rule. A measure whose values
        do not depend on the clustering alone, or that has no direction, is not judged and has
        no entry.
    faults : dict
        The faults of each measure that has some.

    Examples
    --------
    >>> found = desiderata(["rand", "dom_q2"])
    >>> found.verdicts["P3"]["rand"].failed, found.tried["P3"]
    (120, 120)
    """

    SCHEMA: ClassVar[str] = "clustervet/desiderata/1"

    over: Grid
    n: float
    tolerance: float
    records: tuple[Measure, ...]
    tried: dict[str, int]
    verdicts: dict[str, dict[str, RuleVerdict]]
    failures: dict[str, dict[str, tuple[RuleFailure, ...]]]
    faults: dict[str, tuple[MeasureFault, ...]]

    @property
    def measures(self) -> tuple[str, ...]:
        """Keys of the measures, in the order asked for."""
        return tuple(record.key for record in self.records)

    @property
    def is_papers(self) -> bool:
        """Whether the grid and the number of objects are those of the paper."""
        return self.over == Grid() and self.n == PAPER_OBJECTS

    def differences(self) -> list[Difference]:
        """Return the counts that the paper prints otherwise.

        Returns
        -------
        list of Difference
            Rule, measure, the printed count and the count found; empty for other grids.

        Examples
        --------
        >>> desiderata(["rand", "dom_q2"]).differences()
        [Difference(desideratum='P5', measure='rand', printed=29, found=28)]
        """
        if not self.is_papers:
            return []
        return [
            Difference(rule, key, count, verdict.failed)
            for rule, verdicts in self.verdicts.items()
            for key, verdict in verdicts.items()
            if (count := printed(rule, key)) is not None and count != verdict.failed
        ]

    def steps(self) -> DesiderataSteps:
        """Return the broken steps one by one.

        Returns
        -------
        DesiderataSteps
            A result with one row per broken step.

        Examples
        --------
        >>> steps = desiderata(["rand"], {"noise": [0, 1]}).steps()
        >>> {name: steps.columns()[name][0] for name in ("desideratum", "varied", "start", "end")}
        {'desideratum': 'P2', 'varied': 'useful', 'start': 5.0, 'end': 6.0}
        """
        return DesiderataSteps(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data.

        Returns
        -------
        dict
            The grid, the counts, every failure with its parameters, and the faults.
        """
        return {
            "schema": self.SCHEMA,
            "grid": self.over.to_dict(),
            "combinations": len(self.over),
            "n": self.n,
            "tolerance": self.tolerance,
            "measures": list(self.measures),
            "tried": self.tried,
            "verdicts": [plain(v) for row in self.verdicts.values() for v in row.values()],
            "failures": plain(self.failures),
            "faults": [plain(fault) for found in self.faults.values() for fault in found],
            "differences": plain(self.differences()),
        }

    def columns(self) -> dict[str, list[Any]]:
        """Return the counts as columns, one row per measure and rule.

        Returns
        -------
        dict of str to list
            Measure, rule, sequences and steps tried, and how many of them break the rule.
        """
        rows = [
            self.verdicts[rule][key]
            for key in self.measures
            for rule in self.tried
            if key in self.verdicts[rule]
        ]
        names = [field.name for field in fields(RuleVerdict)]
        return {name: [getattr(row, name) for row in rows] for name in names}

    def document(self) -> Section:
        """Return the failed sequences as a document.

        Returns
        -------
        Section
            One row per measure and one column per rule.
        """
        title = "Sequences that fail"
        return Section(
            "desiderata",
            "Dom's desiderata",
            blocks=(cell_table("desiderata-failed", title, self.failed_cells(), ("measure",)),),
            notes=self.notes(),
            subject=self,
            measures=self.records,
            citations=("Dom 2001",),
        )

    def failed_cells(self) -> dict[str, list[Cell]]:
        """Return the numbers of failed sequences as columns of cells, one row per measure.

        Returns
        -------
        dict of str to list of Cell
            The measures, then one column per rule.

        Examples
        --------
        >>> cells = desiderata(["rand", "dom_q2"]).failed_cells()
        >>> {name: [cell.text for cell in column] for name, column in cells.items()}
        {'measure': ['rand', 'dom_q2'], 'P1 of 76': ['0', '0'], 'P2 of 76': ['12', '0'],
         'P3 of 120': ['120', '0'], 'P4 of 190': ['0', '0'], 'P5 of 240': ['28', '0']}
        """
        columns = {"measure": [text_cell(key) for key in self.measures]}
        for rule, count in self.tried.items():
            columns[f"{rule} of {count}"] = [self._cell(rule, key) for key in self.measures]
        return columns

    def _cell(self, rule: str, key: str) -> Cell:
        verdict = self.verdicts[rule].get(key)
        if verdict is None or verdict.sequences == 0:
            return number_cell(None)
        part = f"{verdict.failed} of {verdict.sequences}"
        return number_cell(
            verdict.failed, text="" if verdict.sequences == self.tried[rule] else part
        )

    def notes(self) -> tuple[str, ...]:
        """Return what to know when reading the table.

        Returns
        -------
        tuple of str
            The rules, the paper's counts, faults, and directions that were supposed.

        Examples
        --------
        >>> desiderata(["rand"], {"noise": [0, 1]}).notes()[0][:60]
        "Sequences of neighbouring members of Dom's family in which a"
        """
        notes = [
            "Sequences of neighbouring members of Dom's family in which at least one step breaks "
            f"the rule, over {len(self.over)} combinations with {self.n:.6g} objects. P1 to P5: a "
            "clustering is better with more useful clusters up to the number of classes, worse "
            "with more beyond it, with more noise clusters, and with either error (Dom 2001, "
            f"Table 4). No change, or one within {self.tolerance:g} of the value, breaks a rule."
        ]
        notes += self._beside_the_print()
        notes += [str(fault) for found in self.faults.values() for fault in found]
        unknown = [record.key for record in self.records if record.family == PLAIN]
        if unknown:
            notes.append(
                f"Higher is taken as better for {', '.join(unknown)}; decorate it with "
                "@clustervet.measure(better=...) to say so or otherwise."
            )
        return tuple(notes)

    def _beside_the_print(self) -> list[str]:
        """Return how many of the paper's counts are found, and what is known of the others."""
        if not self.is_papers:
            return []
        stated = sum(
            printed(rule, key) is not None for rule, row in self.verdicts.items() for key in row
        )
        if not stated:
            return []
        unlike = self.differences()
        same = f"The paper states {stated} of these counts, and {stated - len(unlike)} come out."
        return [same, *(self._explain(difference) for difference in unlike)]

    def _explain(self, difference: Difference) -> str:
        rule, key, count, found = difference
        text = f"{rule}: the paper prints {count} for {key}; its rule gives {found}."
        if (rule, key) == ("P5", "rand"):
            places = [failure.held["useful"] for failure in self.failures[rule][key]]
            text += (
                f" Of the paper's, 4 are at 3 useful clusters (here {places.count(3)}) and so 25 "
                f"at 2, where there are only {places.count(2)} sequences; all of them fail."
            )
        return text


@dataclass(frozen=True, repr=False)
class DesiderataSteps(Result):
    """The broken steps of `Desiderata` one by one; its JSON is that of `Desiderata`.

    Parameters
    ----------
    found : Desiderata
        The result that has the failures.

    Examples
    --------
    >>> found = desiderata(["rand"], {"noise": [0, 1]})
    >>> DesiderataSteps(found).to_dict() == found.to_dict()
    True
    """

    found: Desiderata

    def to_dict(self) -> dict[str, Any]:
        """Return the desiderata as plain data.

        Returns
        -------
        dict
            What `Desiderata.to_dict` returns.
        """
        return self.found.to_dict()

    def columns(self) -> dict[str, list[Any]]:
        """Return the broken steps as columns, one row per step.

        Returns
        -------
        dict of str to list
            Measure, rule and parameters. The varied parameter is None; its values are in
            `start` and `end`.
        """
        rows = [
            {"measure": key, "desideratum": rule, **failure.held, "varied": failure.varied,
             **step._asdict()}
            for rule, found in self.found.failures.items()
            for key, failures in found.items()
            for failure in failures
            for step in failure.steps
        ]  # fmt: skip
        names = ["measure", "desideratum", *Point._fields, "varied", *BrokenStep._fields]
        return {name: [row.get(name) for row in rows] for name in names}

    def document(self) -> Section:
        """Return the broken steps as a document.

        Returns
        -------
        Section
            One row per broken step.
        """
        columns = {name: list(map(_step_cell, found)) for name, found in self.columns().items()}
        texts = ("measure", "desideratum", "varied", "tie")
        return Section(
            "steps",
            "Steps that break Dom's desiderata",
            blocks=(cell_table("steps-all", "Steps that break a rule", columns, texts),),
            notes=self.found.notes(),
            subject=self,
            measures=self.found.records,
            citations=("Dom 2001",),
        )


def cell_table(
    key: str, title: str, columns: Mapping[str, Sequence[Cell]], texts: Sequence[str] = ()
) -> Table:
    """Return a table of columns of cells; those in `texts` are words, the others numbers."""
    heads = tuple(Column(name, "text" if name in texts else "number") for name in columns)
    return Table(key, title, heads, tuple(map(Row, zip(*columns.values(), strict=True))))


def _step_cell(item: Any) -> Cell:
    if isinstance(item, bool):
        return Cell("yes" if item else "no")
    if item is None or isinstance(item, str):
        return text_cell(item or "-")
    return number_cell(item, text=f"{item:.6g}")


def printed(rule: str, key: str) -> int | None:
    """Return the number of failures that the paper prints, if it has the measure."""
    return 0 if key in PRINTED_FOR else PRINTED[rule].get(key)


def desiderata(
    measures: Any = None,
    grid: Grid | Mapping[str, Any] | None = None,
    *,
    n: float = PAPER_OBJECTS,
    tolerance: float = 1e-12,
) -> Desiderata:
    """Test measures for Dom's desiderata P1 to P5 over a grid of his family.

    Parameters
    ----------
    measures : str, Measure, function or iterable of these, optional
        Keys, records or measures. A plain function of a table is a measure for which higher is
        better. By default the measures that the paper compares; "all" stands for every external
        measure that has a direction.
    grid : Grid or mapping, optional
        The members of the family, as a `Grid` or as its fields. By default the 760 combinations
        of the paper.
    n : float, optional
        Number of objects.
    tolerance : float, optional
        A change of at most this share of the larger value is no change.

    Returns
    -------
    Desiderata
        ``found.failures["P3"]["rand"]`` has the sequences that break a rule.

    Raises
    ------
    ParameterError
        If the grid has no member of the family, or a parameter is out of range.
    UnknownMeasureError
        If a measure is unknown.

    Notes
    -----
    Dom 2001, §6.2 and Table 4. A sequence is a set of members that differ in one parameter. It
    fails a rule once, however many of its steps break the rule; as in the paper, a step without
    change breaks it. A measure that raises, has no value, or depends on the order of labels is
    reported under `faults` and does not stop the run.

    Examples
    --------
    >>> found = desiderata(["jaccard", "dom_q2"])
    >>> len(found.failures["P3"]["jaccard"]), found.tried["P3"]
    (80, 120)
    >>> found.failures["P3"]["dom_q2"]
    ()
    """
    records = chosen_measures(measures)
    over = _as_grid(grid)
    n = check_objects(n)
    if not 0 <= tolerance < 1:
        raise ParameterError(
            Setting("tolerance"), f" is a share of the value from 0 to 1, not {tolerance!r}."
        )
    cases, trials = run_trials(records, over, n, "desiderata")
    return judged(trials, cases, over, n, tolerance)


def judged(
    trials: Sequence[MeasureTrial],
    cases: Sequence[FamilyCase],
    over: Grid,
    n: float,
    tolerance: float,
) -> Desiderata:
    """Return the verdicts on finished values."""
    sound = [trial for trial in trials if trial.is_sound]
    tried, verdicts, failures = {}, {}, {}
    for rule in RULES:
        sequences = _sequences(rule, cases)
        found = {t.record.key: _failures(rule, t, sequences, tolerance) for t in sound}
        tried[rule.key] = len(sequences)
        failures[rule.key] = found
        verdicts[rule.key] = {
            t.record.key: _verdict(rule.key, t, sequences, found[t.record.key]) for t in sound
        }
    records = tuple(trial.record for trial in trials)
    faults = {trial.record.key: trial.faults for trial in trials if trial.faults}
    return Desiderata(over, n, tolerance, records, tried, verdicts, failures, faults)


def _as_grid(grid: Grid | Mapping[str, Any] | None) -> Grid:
    if grid is None:
        return Grid()
    if isinstance(grid, Grid):
        return grid
    if not isinstance(grid, Mapping):
        raise ParameterError(f"a grid is a Grid or a mapping of its fields, not {grid!r}.")
    check_options(grid, list(Grid.__dataclass_fields__), "a grid")
    return Grid(**grid)


def _sequences(rule: Rule, cases: Sequence[FamilyCase]) -> list[_Sequence]:
    """Return members that differ in the rule's parameter alone, which grows along a grid."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for place, case in enumerate(cases):
        if rule.holds_for(case.point):
            facts = case.point._asdict().items()
            held = tuple((name, value) for name, value in facts if name != rule.varied)
            groups.setdefault(held, []).append(place)
    return [
        (dict(held), places, [float(getattr(cases[k].point, rule.varied)) for k in places])
        for held, places in groups.items()
        if len(places) > 1
    ]


def _failures(
    rule: Rule, trial: MeasureTrial, sequences: Sequence[_Sequence], tolerance: float
) -> tuple[RuleFailure, ...]:
    found = []
    for held, places, at in sequences:
        values = trial.values[places]
        size = np.maximum(np.abs(values[:-1]), np.abs(values[1:]))
        change = np.diff(values)
        still = np.abs(change) <= tolerance * size
        broken = np.flatnonzero((rule.sign * change <= 0) | still)  # never where values are nan
        if np.isnan(values).any() or not len(broken):
            continue
        own = (values if trial.record.better == "higher" else -values).tolist()
        steps = tuple(
            BrokenStep(at[k], at[k + 1], own[k], own[k + 1], bool(still[k]))
            for k in broken.tolist()
        )
        found.append(RuleFailure(trial.record.key, rule.key, held, rule.varied, steps))
    return tuple(found)


def _verdict(
    rule: str, trial: MeasureTrial, sequences: Sequence[_Sequence], failures: Sequence[RuleFailure]
) -> RuleVerdict:
    """Return the counts over the sequences on which the measure has all its values."""
    whole = [places for _, places, _ in sequences if not np.isnan(trial.values[places]).any()]
    broken = [step for failure in failures for step in failure.steps]
    return RuleVerdict(
        measure=trial.record.key,
        desideratum=rule,
        sequences=len(whole),
        failed=len(failures),
        steps=sum(len(places) - 1 for places in whole),
        failed_steps=len(broken),
        tied_steps=sum(step.tie for step in broken),
    )
