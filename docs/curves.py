"""Small pictures of how each measure answers to growing noise, for the pages of the measures.

External measures judge tables of Dom's family (Dom 2001, §6.1). Internal measures judge three
groups of points of which a growing share has the labels of other points. Measures of soft,
overlapping and hierarchical clusterings compare one with itself after a growing share of its
objects have changed places.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

import clustervet as cv
from clustervet.errors import UndefinedError
from clustervet.lab import expected_table, family
from clustervet.registry import PAIRED, Measure, doors

# With 8,000 objects every expected count is a whole number.
CLASSES, OBJECTS = 5, 8_000
STEPS = np.linspace(0, 0.8, 17)
WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 460, 220, 62, 14, 42
# Okabe and Ito's colours, which colour-blind readers can tell apart, and a dash for each.
STYLES = (("#0072B2", ""), ("#D55E00", "6 4"), ("#009E73", "2 3"))


class Curve(NamedTuple):
    """The values of a measure as noise grows; none where it is undefined."""

    name: str
    values: list[float | None]


def curves(record: Measure) -> list[Curve]:
    """Compute the curves of one measure."""
    judged: dict[str, Callable[[float], tuple[Any, ...]]]
    if record.kind == "external":
        judged = {
            "objects spread over the clusters of other classes": lambda share: (
                expected_table(family(CLASSES, CLASSES, error_useful=share), OBJECTS),
            ),
            "the same, each class in four clusters": lambda share: (
                expected_table(family(CLASSES, 4 * CLASSES, error_useful=share), OBJECTS),
            ),
            "objects gathered in one more cluster": lambda share: (
                expected_table(family(CLASSES, CLASSES, 1, error_noise=share), OBJECTS),
            ),
        }
    elif record.kind in PAIRED:
        truth = OTHERS[record.kind]()
        judged = {
            "objects that have changed places": lambda share: (_exchanged(record, truth, share),)
        }
    elif record.kind == "soft_internal":
        points, _ = groups()
        judged = {"degrees of others, and spread": lambda share: (points, _spread(_soft(), share))}
    else:
        points, labels = groups()
        judged = {
            "points with the labels of others": lambda share: (points, shuffled(labels, share))
        }
    return [
        Curve(name, [_value(record, data(share)) for share in STEPS])
        for name, data in judged.items()
    ]


def _value(record: Measure, data: tuple[Any, ...]) -> float | None:
    try:
        found = float(record(*data))
    except UndefinedError:
        return None
    return found if np.isfinite(found) else None


def groups() -> tuple[Any, Any]:
    """Three groups of points in the plane, and the group of each."""
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2], (60, 90, 120))
    centres = np.array([[0.0, 0.0], [6.0, 1.0], [3.0, 6.0]])
    return centres[labels] + rng.normal(size=(len(labels), 2)), labels


def _soft() -> Any:
    """Degrees of the three groups by the distances to their centres."""
    points, labels = groups()
    centres = np.array([points[labels == k].mean(axis=0) for k in range(3)])
    degrees = np.exp(-((points[:, None] - centres) ** 2).sum(axis=2) / 4)
    return degrees / degrees.sum(axis=1, keepdims=True)


def _spread(degrees: Any, share: float) -> Any:
    """Give a share of the objects the degrees of others, and mix all with equal ones."""
    mixed = degrees[_order(len(degrees), share)]
    return cv.Memberships((1 - share) * mixed + share / degrees.shape[1])


def _overlaps() -> Any:
    """Three groups of which neighbours share some objects."""
    _, labels = groups()
    also = np.arange(len(labels)) % 5 == 0
    return cv.Cover(
        [np.flatnonzero((labels == k) | (also & (labels == (k + 1) % 3))) for k in range(3)]
    )


def _tree() -> Any:
    """The tree of average linkage of some of the points."""
    from scipy.cluster.hierarchy import linkage

    points, _ = groups()
    return cv.Hierarchy(linkage(points[::3], "average"))


OTHERS: dict[str, Callable[[], Any]] = {
    "soft": lambda: cv.Memberships(_soft()),
    "overlapping": _overlaps,
    "hierarchical": _tree,
}


def _exchanged(record: Measure, truth: Any, share: float) -> Any:
    """A clustering and itself with a share of the objects exchanged; a flat truth where needed."""
    known: Any = truth
    if record.key == "dendrogram_purity":
        known = groups()[1][::3]
    pair = doors[record.kind]("a curve", known, truth)
    return pair.shuffled(_order(pair.n, share))


def _order(objects: int, share: float) -> Any:
    """Exchange a share of the objects among themselves."""
    rng = np.random.default_rng(2)
    order = np.arange(objects)
    chosen = rng.permutation(objects)[: round(share * objects)]
    order[chosen] = rng.permutation(chosen)
    return order


def shuffled(labels: Any, share: float) -> Any:
    """Give a share of the points the labels of others, the same points first."""
    rng = np.random.default_rng(2)
    chosen = rng.permutation(len(labels))[: round(share * len(labels))]
    found = labels.copy()
    found[chosen] = rng.permutation(labels)[chosen]
    return found


def picture(record: Measure) -> str:
    """Draw the curves of a measure as SVG that follows the colours of the page."""
    found = curves(record)
    shown = [value for curve in found for value in curve.values if value is not None]
    shown += [edge for edge in (record.bounds[0], record.perfect) if edge in (0, 1)]
    ticks = _ticks(min(shown), max(shown))
    return "\n".join(_svg(record, found, ticks))


def _ticks(low: float, high: float) -> list[float]:
    """Return three to six round numbers, the first at most `low` and the last at least `high`."""
    span = (high - low) or 1.0
    size = 10.0 ** math.floor(math.log10(span))
    step = next(f * size for f in (0.2, 0.25, 0.5, 1, 2, 2.5) if span / (f * size) <= 4)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [step * k for k in range(first, max(last, first + 1) + 1)]


def _svg(record: Measure, found: Sequence[Curve], ticks: Sequence[float]) -> list[str]:
    low, high = ticks[0], ticks[-1]
    bottom, right = HEIGHT - BOTTOM, WIDTH - 20
    height = HEIGHT + 18 * len(found)

    def x(share: float) -> float:
        return float(LEFT + (right - LEFT) * share / STEPS[-1])

    def y(value: float) -> float:
        return float(bottom - (bottom - TOP) * (value - low) / (high - low))

    lines = [
        f'<svg class="noise-curve" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'role="img" aria-label="{record.title} as noise grows" fill="none" '
        'stroke="currentColor" font-size="12">',
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" stroke-width="1"/>',
    ]
    for value in ticks:
        at = y(value)
        lines.append(
            f'<path d="M{LEFT - 4} {at:.1f}H{right}" stroke-width="1" stroke-opacity="0.25"/>'
            f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end" fill="currentColor" '
            f'stroke="none">{_tick(value)}</text>'
        )
    lines += [
        f'<text x="{x(share):.1f}" y="{bottom + 17}" text-anchor="middle" '
        f'fill="currentColor" stroke="none">{share:.0%}</text>'
        for share in (0, 0.2, 0.4, 0.6, 0.8)
    ]
    lines.append(
        f'<text x="{(LEFT + right) / 2}" y="{bottom + 34}" text-anchor="middle" '
        'fill="currentColor" stroke="none">share of the objects</text>'
    )
    for k, (curve, (colour, dash)) in enumerate(zip(found, STYLES, strict=False)):
        style = f'stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash or "none"}"'
        path, pen = [], "M"
        for share, value in zip(STEPS, curve.values, strict=True):
            if value is None:
                pen = "M"
            else:
                path.append(f"{pen}{x(share):.1f} {y(value):.1f}")
                pen = "L"
        at = HEIGHT + 18 * k + 6
        lines += [
            f'<path d="{"".join(path)}" {style}/>',
            f'<path d="M{LEFT} {at}h28" {style}/>',
            f'<text x="{LEFT + 36}" y="{at + 4}" fill="currentColor" stroke="none">'
            f"{curve.name}</text>",
        ]
    return [*lines, "</svg>"]


def _tick(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{round(value, 9):.4g}"


def sentence(record: Measure) -> str:
    """Say what the picture shows."""
    if record.kind == "external":
        told = f"{OBJECTS:,} objects of {CLASSES} classes of equal size"
    else:
        told = "270 points in three groups that lie apart"
    return f"Its value for {told}, as a growing share of them is put in wrong clusters."
