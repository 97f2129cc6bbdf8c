"""What became of clusters since another time: events, shares, and chains of steps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from clustervet._checks import one_of
from clustervet.labels import show_label
from clustervet.view import Cell, Result, Section, number_cell, plain, plain_table
from clustervet.view.cells import with_ends
from clustervet.view.data import rows_of
from clustervet.view.words import counted, listed, names, p_text

Places = NDArray[np.int64]
Kind = Literal["kept", "split", "merged", "born", "died"]
KINDS: tuple[Kind, ...] = ("split", "merged", "born", "died", "kept")
# Random divisions of all objects among the two times, for the p-value.
DRAWS = 9_999
# Population stability indices from which a change is called moderate and large, as is usual.
MODERATE, LARGE = 0.1, 0.25


@dataclass(frozen=True, slots=True)
class DriftFlow:
    """Objects of one cluster that are in one cluster later.

    Parameters
    ----------
    before, after : object
        The clusters; None for objects that are in none at that time.
    objects : int
        The objects that are in both.
    share : float
        Their share in the earlier cluster; nan where there is none.
    low, high : float
        Wilson's interval of this share.
    share_after : float
        Their share in the later cluster; nan where there is none.
    """

    before: Any
    after: Any
    objects: int
    share: float
    low: float
    high: float
    share_after: float


@dataclass(frozen=True, slots=True)
class DriftEvent:
    """What became of some clusters.

    Parameters
    ----------
    kind : {"kept", "split", "merged", "born", "died"}
        What happened.
    before, after : tuple
        The clusters that it happened to, and those that came of them.
    flows : tuple of DriftFlow
        The objects that went from the former to the latter. For a cluster that was born or died,
        those of its largest common origin or destination; if it has none, all its objects.
    """

    kind: Kind
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    flows: tuple[DriftFlow, ...]

    @property
    def words(self) -> str:
        """The event in a few words."""
        one, two = (
            names([show_label(name) for name in side]) for side in (self.before, self.after)
        )
        if self.kind == "died":
            return f"{one} died"
        if self.kind == "born":
            return f"{two} was born"
        if self.kind == "kept":
            return f"{one} is {two}"
        return f"{one} {'split into' if self.kind == 'split' else 'merged into'} {two}"


@dataclass(frozen=True, eq=False, repr=False)
class Drift(Result):
    """What became of clusters of the same objects.

    Made by `drift`.

    Parameters
    ----------
    names : tuple of str
        The names of the two times.
    before, after : list
        The clusters at both times.
    codes : tuple of ndarray
        The place of each object's cluster at both times; -1 where it has none.
    events : list of DriftEvent
        What happened, the largest clusters first.
    moved : float
        The share of the objects with a cluster at both times that left their cluster: they are in
        none of those that follow it.
    interval : tuple of float
        Wilson's interval of this share.
    confidence : float
        The confidence of all intervals.
    noise : tuple of int
        The objects labelled as noise at both times, which are in no cluster.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.drift(list("aaaabbbccc"), list("xxyyzzzzzz"))
    >>> [event.words for event in found.events]
    ['b, c merged into z', 'a split into x, y']
    """

    SCHEMA: ClassVar[str] = "clustervet/drift/1"

    names: tuple[str, str]
    before: list[Any]
    after: list[Any]
    codes: tuple[Places, Places]
    events: list[DriftEvent]
    moved: float
    interval: tuple[float, float]
    confidence: float
    noise: tuple[int, int] = (0, 0)

    def of(self, kind: Kind) -> list[DriftEvent]:
        """Return the events of one kind.

        Parameters
        ----------
        kind : {"kept", "split", "merged", "born", "died"}
            The kind.

        Returns
        -------
        list of DriftEvent
            The events, the largest clusters first.

        Raises
        ------
        ParameterError
            If there is no such kind.

        Examples
        --------
        >>> import clustervet as cv
        >>> cv.drift([0, 0, 1, 1], [0, 0, 0, 0]).of("merged")[0].before
        (0, 1)
        """
        one_of(kind, "kind", KINDS)
        return [event for event in self.events if event.kind == kind]

    @property
    def labels(self) -> dict[str, list[Any]]:
        """The cluster of each object at both times; None where it has none."""
        sides = zip((self.before, self.after), self.codes, strict=True)
        one, two = (
            [None if code < 0 else held[code] for code in codes.tolist()] for held, codes in sides
        )
        return {self.names[0]: one, self.names[1]: two}

    @property
    def gone(self) -> int:
        """The objects that had a cluster before and have none after."""
        return int(((self.codes[0] >= 0) & (self.codes[1] < 0)).sum())

    @property
    def added(self) -> int:
        """The objects that have a cluster after and had none before."""
        return int(((self.codes[0] < 0) & (self.codes[1] >= 0)).sum())

    @property
    def verdict(self) -> str:
        """What happened, in one sentence."""
        counts = {kind: len(self.of(kind)) for kind in KINDS}
        said = [f"{counts[kind]} {kind}" for kind in KINDS if counts[kind] and kind != "kept"]
        what = f"Of {counted(len(self.before), 'cluster')}, {counts['kept']} kept"
        events = f"; {listed(said)}" if said else ""
        if math.isnan(self.moved):
            return f"{what}{events}."
        return f"{what}{events}; {self._moved_words}."

    @property
    def _moved_words(self) -> str:
        both = int(((self.codes[0] >= 0) & (self.codes[1] >= 0)).sum())
        whose = (
            "objects"
            if both == len(self.codes[0])
            else f"{both:,} objects with a cluster at both times"
        )
        return f"{self.moved:.1%} of the {whose} moved"

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per flow of each event.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        rows = [(event.kind, flow) for event in self.events for flow in event.flows]
        fields = ("before", "after", "objects", "share", "low", "high", "share_after")
        found: dict[str, Sequence[Any]] = {"event": [kind for kind, _ in rows]}
        return found | {name: [getattr(flow, name) for _, flow in rows] for name in fields}

    def to_dict(self) -> dict[str, Any]:
        """Return the events as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        rows = [
            {
                "kind": event.kind,
                "before": [show_label(name) for name in event.before],
                "after": [show_label(name) for name in event.after],
                "flows": [
                    {
                        "before": None if flow.before is None else show_label(flow.before),
                        "after": None if flow.after is None else show_label(flow.after),
                        "objects": flow.objects,
                        "share": plain(flow.share),
                        "low": plain(flow.low),
                        "high": plain(flow.high),
                        "share_after": plain(flow.share_after),
                    }
                    for flow in event.flows
                ],
            }
            for event in self.events
        ]
        return {
            "schema": self.SCHEMA,
            "names": list(self.names),
            "objects": len(self.codes[0]),
            "gone": self.gone,
            "added": self.added,
            "moved": plain(self.moved),
            "interval": plain(self.interval),
            "confidence": self.confidence,
            "noise": list(self.noise),
            "events": rows,
            "verdict": self.verdict,
        }

    def document(self) -> Section:
        """Return what happened to each cluster.

        Returns
        -------
        Section
            The sentences and the table.
        """
        rows = [(event, flow) for event in self.events for flow in event.flows]
        table: dict[str, Any] = {
            "event": [event.kind for event, _ in rows],
            self.names[0]: [_name(flow.before) for _, flow in rows],
            self.names[1] if self.names[1] != self.names[0] else "after": [
                _name(flow.after) for _, flow in rows
            ],
            "objects": [flow.objects for _, flow in rows],
            "share": [_share(flow.share, (flow.low, flow.high)) for _, flow in rows],
            "of later": [_share(flow.share_after) for _, flow in rows],
        }
        return Section(
            "drift",
            "What changed",
            (f"{self.names[0]} to {self.names[1]}, {counted(len(self.codes[0]), 'object')}",),
            (plain_table("drift-events", "What became of the clusters", table),),
            notes=(*self._notes(), self.verdict),
            lead=(self.verdict,),
            subject=self,
        )

    def _notes(self) -> list[str]:
        level = f"{self.confidence:.0%}"
        said = [
            f"share: of the earlier cluster, with {level} intervals; of later: of the later one."
        ]
        if self.of("born") or self.of("died"):
            said.append(
                "A cluster that was born is shown with the cluster that most of its objects come "
                "from, and one that died with the cluster that most of them went to; a dash means "
                "no cluster."
            )
        if not math.isnan(self.moved):
            low, high = self.interval
            said.append(f"{self._moved_words}, {level} interval {low:.1%} to {high:.1%}.")
        if self.gone or self.added:
            said.append(
                f"In a cluster before and in none after: {counted(self.gone, 'object')}; the other "
                f"way round: {self.added:,}."
            )
        noise = [
            f"{counted(count, 'object')} in {name}"
            for name, count in zip(self.names, self.noise, strict=True)
            if count
        ]
        if noise:
            said.append(f"Noise counts as no cluster: {listed(noise)}.")
        return said


@dataclass(frozen=True, eq=False, repr=False)
class ShareDrift(Result):
    """How the shares of clusters differ between two sets of objects.

    Made by `drift` for other objects.

    Parameters
    ----------
    names : tuple of str
        The names of the two times.
    clusters : list
        The clusters.
    counts : ndarray of int
        Times × clusters: the number of objects.
    divergence : float
        The Jensen-Shannon divergence of the shares, in bits: from 0 to 1.
    p_value : float
        How likely a divergence as large is if all objects are drawn from the same clusters.
    psi : float
        The population stability index.
    differences : ndarray of float
        Later share less earlier share, by cluster.
    intervals : ndarray of float
        Clusters × 2: their intervals (Newcombe 1998, method 10).
    confidence : float
        The confidence of the intervals.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.drift(["a"] * 60 + ["b"] * 40, ["a"] * 30 + ["b"] * 70, objects="new")
    >>> round(found.divergence, 3), round(found.psi, 2), found.p_value
    (0.067, 0.38, 0.0003)
    """

    SCHEMA: ClassVar[str] = "clustervet/share_drift/1"

    names: tuple[str, str]
    clusters: list[Any]
    counts: NDArray[np.int64]
    divergence: float
    p_value: float
    psi: float
    differences: NDArray[np.float64]
    intervals: NDArray[np.float64]
    confidence: float

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """Times × clusters: the shares of the objects."""
        return np.asarray(self.counts / self.counts.sum(axis=1, keepdims=True))

    @property
    def verdict(self) -> str:
        """Whether shares have changed, in one sentence."""
        size = "large" if self.psi > LARGE else "moderate" if self.psi > MODERATE else "small"
        text = p_text(self.p_value, DRAWS)
        p = f"p {text}" if text[0] in "<≤" else f"p = {text}"
        known = f"Jensen-Shannon divergence {self.divergence:.3g} bits, {p}"
        if self.p_value > 1 - self.confidence:
            return f"No sign that the shares of the clusters have changed ({known})."
        widest = int(np.abs(self.differences).argmax())
        name = show_label(self.clusters[widest])
        return (
            f"The shares of the clusters have changed ({known}; {size} by the population stability "
            f"index, {self.psi:.2g}); most for {name}: {self.differences[widest]:+.1%}."
        )

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per cluster.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        return {
            "cluster": self.clusters,
            "objects_before": self.counts[0].tolist(),
            "objects_after": self.counts[1].tolist(),
            "share_before": self.shares[0].tolist(),
            "share_after": self.shares[1].tolist(),
            "difference": self.differences.tolist(),
            "low": self.intervals[:, 0].tolist(),
            "high": self.intervals[:, 1].tolist(),
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the shares as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        columns = self.columns()
        columns["cluster"] = [show_label(name) for name in self.clusters]
        return {
            "schema": self.SCHEMA,
            "names": list(self.names),
            "divergence": self.divergence,
            "p_value": self.p_value,
            "psi": self.psi,
            "confidence": self.confidence,
            "clusters": rows_of(columns),
            "verdict": self.verdict,
        }

    def document(self) -> Section:
        """Return the shares of each cluster, the largest change first.

        Returns
        -------
        Section
            The sentences and the table.
        """
        order = np.argsort(-np.abs(self.differences), kind="stable").tolist()
        table: dict[str, Any] = {
            "cluster": [_name(self.clusters[k]) for k in order],
            "objects before": [int(self.counts[0][k]) for k in order],
            "objects after": [int(self.counts[1][k]) for k in order],
            "share before": [number_cell(float(self.shares[0][k])) for k in order],
            "share after": [number_cell(float(self.shares[1][k])) for k in order],
            "difference": [
                with_ends(
                    number_cell(float(self.differences[k])),
                    (float(self.intervals[k][0]), float(self.intervals[k][1])),
                )
                for k in order
            ],
        }
        one, two = (f"{int(total):,}" for total in self.counts.sum(axis=1))
        return Section(
            "share-drift",
            "What changed",
            (f"{self.names[0]} ({one} objects) to {self.names[1]} ({two} objects)",),
            (plain_table("share-drift-clusters", "Shares of the clusters", table),),
            notes=(
                f"difference: of the shares, with {self.confidence:.0%} intervals. Population "
                f"stability index: {self.psi:.3g}; above 0.1 is usually called moderate, and above "
                "0.25 large. Clusters without objects count as half an object there.",
                self.verdict,
            ),
            lead=(self.verdict,),
            subject=self,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Drifts(Result):
    """What changed from each period to the next.

    Made by `drift` for several periods.

    Parameters
    ----------
    steps : list of Drift or ShareDrift
        One entry per step.
    labels : dict, optional
        The labels at each time, where the objects are the same ones.

    Examples
    --------
    >>> import clustervet as cv
    >>> found = cv.drift({"jan": [0, 0, 1, 1], "feb": [0, 0, 0, 0], "mar": [5, 5, 6, 6]})
    >>> [step.events[0].words for step in found.steps]
    ['0, 1 merged into 0', '0 split into 5, 6']
    """

    SCHEMA: ClassVar[str] = "clustervet/drifts/1"

    steps: list[Drift | ShareDrift]
    labels: Mapping[str, Any] = field(default_factory=dict)

    def __getitem__(self, place: int) -> Drift | ShareDrift:
        return self.steps[place]

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def verdict(self) -> str:
        """The step with the most change, in one sentence."""
        values = [one.moved if isinstance(one, Drift) else one.divergence for one in self.steps]
        most = self.steps[int(np.nanargmax(values)) if not np.isnan(values).all() else 0]
        return f"Most changed from {most.names[0]} to {most.names[1]}. {most.verdict}"

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return the rows of all steps, with the names of both times first.

        Returns
        -------
        dict
            Values by the name of the column.
        """
        found: dict[str, list[Any]] = {}
        for step in self.steps:
            columns = step.columns()
            many = len(next(iter(columns.values())))
            for name, side in zip(("from", "to"), step.names, strict=True):
                found.setdefault(name, []).extend([side] * many)
            for name, column in columns.items():
                found.setdefault(name, []).extend(column)
        return dict(found)

    def to_dict(self) -> dict[str, Any]:
        """Return all steps as plain data.

        Returns
        -------
        dict
            Plain data, as JSON holds it.
        """
        return {
            "schema": self.SCHEMA,
            "steps": [step.to_dict() for step in self.steps],
            "verdict": self.verdict,
        }

    def document(self) -> Section:
        """Return all steps, one after the other.

        Returns
        -------
        Section
            The sections of the steps.
        """
        inner = tuple(step.document().prefixed(f"s{k}-") for k, step in enumerate(self.steps, 1))
        return Section(
            "drifts",
            "What changed",
            (self.verdict,),
            sections=inner,
            lead=(self.verdict,),
            subject=self,
        )


def _share(value: float, ends: tuple[float, float] | None = None) -> Cell:
    """Return a share, or a dash where there is nothing that it could be a share of."""
    return Cell("-") if math.isnan(value) else with_ends(number_cell(value), ends)


def _name(name: Any) -> Cell:
    return Cell("-") if name is None else Cell(show_label(name, 40))
