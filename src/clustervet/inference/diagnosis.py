"""Where a clustering goes wrong: exact shares of each cluster and class, and repairs."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from clustervet.contingency import Contingency
from clustervet.contingency.engine_table import with_cells
from clustervet.inference.repairs import Repair, find_repairs
from clustervet.inference.shares import Shares, cell_shares
from clustervet.labels import show_label
from clustervet.registry import measures

LOG_TWO = math.log(2)


@dataclass(frozen=True, slots=True)
class Part:
    """One cluster, or one class: how it fits, and its exact share of what is wrong.

    For a cluster, `majority` is its main class, `purity` the share of the cluster in that
    class and `recall` the share of that class in the cluster; for a class, the other way
    round. `entropy` is in bits, `vi`, `q0` and `pair_errors` are its shares of those totals.
    """

    name: Any
    size: int | float
    majority: Any
    purity: float
    recall: float
    f: float
    entropy: float
    match: Any
    vi: float
    q0: float
    pair_errors: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data; names as text that is safe to show."""
        return {
            **asdict(self),
            "name": show_label(self.name),
            "majority": show_label(self.majority),
            "match": None if self.match is None else show_label(self.match),
        }


@dataclass(frozen=True, slots=True)
class Spread:
    """A class spread over clusters, or a cluster over classes, and what that costs in VI."""

    name: Any
    parts: list[tuple[Any, int | float]]  # the largest ones
    number: int  # of all parts
    bits: float

    def to_dict(self) -> dict[str, Any]:
        """As plain data; names as text that is safe to show."""
        return {
            "name": show_label(self.name),
            "parts": [[show_label(name), count] for name, count in self.parts],
            "number": self.number,
            "bits": self.bits,
        }


@dataclass(frozen=True)
class Diagnosis:
    """Every cluster and class, the costliest splits and merges, and what repairs would gain."""

    clusters: list[Part]
    classes: list[Part]
    splits: list[Spread]
    merges: list[Spread]
    repairs: list[Repair]
    vi: float
    q0: float
    adjusted_rand: float
    pair_errors: float
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "verdict": self.verdict,
            "variation_of_information": self.vi,
            "dom_q0": self.q0,
            "adjusted_rand": None if math.isnan(self.adjusted_rand) else self.adjusted_rand,
            "pair_errors": self.pair_errors,
            "clusters": [part.to_dict() for part in self.clusters],
            "classes": [part.to_dict() for part in self.classes],
            "splits": [spread.to_dict() for spread in self.splits],
            "merges": [spread.to_dict() for spread in self.merges],
            "repairs": [repair.to_dict() for repair in self.repairs],
        }

    def to_json(self, indent: int | None = 2) -> str:
        """As JSON."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        return self.verdict


def diagnose(truth: Any, pred: Any = None, *, most: int = 10, **options: Any) -> Diagnosis:
    """Say where a clustering goes wrong and what would mend it most.

    Give labels, or one finished table. `most` bounds the lists of splits, merges and repairs.
    Shares of VI, of Dom's Q0 and of the pair errors sum to the whole over clusters, and again
    over classes.

    >>> found = diagnose(["a"] * 6 + ["b"] * 6, [0] * 6 + [0] * 2 + [1] * 4)
    >>> found.clusters[0].majority, found.clusters[0].size, found.clusters[0].match
    ('a', 8, 'a')
    >>> print(found.repairs[0])
    separate class b from the rest of cluster 0 (0.541 bits)
    """
    table = with_cells(measures["vi"].subject(truth, pred, **options), "a diagnosis")
    turned = table.T
    shares = cell_shares(table)
    matched = table.match()
    pairs = list(
        zip(table.cells.rows[matched].tolist(), table.cells.cols[matched].tolist(), strict=True)
    )
    clusters = _parts(table, shares, {cluster: c for c, cluster in pairs})
    classes = _parts(turned, shares.flipped(), dict(pairs))
    merges = _spreads(clusters, turned, most)
    splits = _spreads(classes, table, most)
    repairs = find_repairs(table, most)
    found = {
        "vi": math.fsum(part.vi for part in clusters),
        "q0": math.fsum(part.q0 for part in clusters),
        "adjusted_rand": measures["ari"].evaluate(table).value,
        "pair_errors": math.fsum(part.pair_errors for part in clusters),
    }
    verdict = _verdict(table, found, splits, merges, repairs)
    return Diagnosis(clusters, classes, splits, merges, repairs, **found, verdict=verdict)


def _parts(table: Contingency, shares: Shares, matched: dict[int, int]) -> list[Part]:
    """One entry a cluster of this table (whose roles may be exchanged)."""
    names, others = table.cluster_names, table.class_names
    sizes, other_sizes = table.cluster_sizes.tolist(), table.class_sizes.tolist()
    rows, cols, values = table.cells.rows, table.cells.cols, table.cells.values
    order = np.lexsort((table.class_sizes[rows], -values, cols))
    first = order[np.searchsorted(cols[order], np.arange(len(names)))]
    vi, q0, errors, entropy = shares.by_column(len(names))
    found = []
    for k, name in enumerate(names):
        row, size, top = int(rows[first[k]]), sizes[k], values[first[k]]
        other = other_sizes[row]
        found.append(
            Part(
                name=name,
                size=size,
                majority=others[row],
                purity=float(top / size),
                recall=float(top / other),
                f=float(2 * top / (size + other)),
                entropy=float(entropy[k]),
                match=others[matched[k]] if k in matched else None,
                vi=float(vi[k]),
                q0=float(q0[k]),
                pair_errors=float(errors[k]),
            )
        )
    return found


def _spreads(parts: list[Part], table: Contingency, most: int) -> list[Spread]:
    """The costliest rows of a table whose rows are these parts."""
    cost = [float(part.size) / float(table.n) * part.entropy for part in parts]
    order = sorted((k for k in range(len(parts)) if cost[k] > 0), key=lambda k: -cost[k])[:most]
    cells, names = table.cells, table.cluster_names
    found = []
    for k in order:
        span = slice(cells.indptr[k], cells.indptr[k + 1])
        pairs = zip(cells.cols[span].tolist(), cells.values[span].tolist(), strict=True)
        ranked = sorted(pairs, key=lambda pair: -pair[1])
        largest = [(names[col], x) for col, x in ranked[:most]]
        found.append(Spread(parts[k].name, largest, len(ranked), cost[k]))
    return found


def _verdict(
    table: Contingency,
    found: dict[str, float],
    splits: list[Spread],
    merges: list[Spread],
    repairs: list[Repair],
) -> str:
    """A few sentences in plain words, every figure computed."""
    if table.identical:
        return "The clustering is the truth, cluster for class."
    entropies = table.entropies
    lost, gained = (
        x / LOG_TWO for x in (entropies.classes_given_clusters, entropies.clusters_given_classes)
    )
    agreement = found["adjusted_rand"]
    word = next(w for limit, w in _WORDS if agreement >= limit or limit == -math.inf)
    lines = [
        f"{word}: adjusted Rand {agreement:.3f}, {found['vi']:.3f} bits apart "
        f"(at most log2 n = {math.log2(max(2.0, float(table.n))):.2f})."
    ]
    mixed, scattered = lost / found["vi"], gained / found["vi"]
    if mixed >= 0.65:
        lines.append(f"Mostly classes are mixed within clusters ({mixed:.0%} of the distance).")
    elif scattered >= 0.65:
        lines.append(f"Mostly classes are split over clusters ({scattered:.0%} of the distance).")
    else:
        lines.append(f"Classes are both mixed ({mixed:.0%}) and split ({scattered:.0%}).")
    if merges and mixed >= 0.35:
        lines.append(f"The costliest mixture is cluster {_spread_words(merges[0], 'of')}.")
    if splits and scattered >= 0.35:
        lines.append(f"The costliest split is class {_spread_words(splits[0], 'in')}.")
    worth = [r for r in repairs if r.vi_gain >= 0.01 * found["vi"] and r.adjusted_rand_gain > 0]
    if worth:
        lines.append(f"Most would be gained if you {worth[0]}.")
    return " ".join(lines)


_WORDS = (
    (0.9, "Excellent agreement"),
    (0.65, "Good agreement"),
    (0.35, "Moderate agreement"),
    (0.1, "Poor agreement"),
    (-0.05, "Hardly any agreement"),
    (-math.inf, "Less agreement than by chance"),
)


def _spread_words(spread: Spread, word: str) -> str:
    parts = ", ".join(f"{_count(x)} {word} {show_label(name)}" for name, x in spread.parts[:3])
    rest = spread.number - min(3, len(spread.parts))
    more = f" and {rest:,} more" if rest else ""
    return f"{show_label(spread.name)} ({parts}{more})"


def _count(x: int | float) -> str:
    return f"{x:,}" if isinstance(x, int) else f"{x:,.4g}"
