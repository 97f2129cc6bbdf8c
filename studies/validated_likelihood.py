"""How optimistic validated likelihood is where the labels come from all points.

    python studies/validated_likelihood.py [--write]

Twelve populations of known densities give two samples each; four real sets are bundled with
scikit-learn. k-means makes 2 to 10 clusters of each set. The likelihood of points that are left out
of the mixture is measured twice: with labels that were made from all points (kept), and with labels
that k-means makes again without them (refit), as Dom 2001, App. C.1, has it. For a population,
20,000 further points tell what both estimate (new).

The table shows what kept labels add, in nats per point, and the number of clusters with the largest
likelihood by each. `--write` puts it into docs/theory.md.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

import clustervet as cv

NUMBERS = list(range(2, 11))
SHOWN = (2, 4, 6, 8, 10)
NEW = 20_000
KEY = "validated_likelihood"
THEORY = Path(__file__).resolve().parent.parent / "docs" / "theory.md"


def population(name: str, n: int, rng: np.random.Generator) -> Any:
    """Draw points of a population."""
    kind, size = name.split()[0], int(name.split()[1])
    centres = 6 * np.random.default_rng(size).normal(size=(size, 2))
    picked = rng.integers(size, size=n)
    if kind == "round":
        return centres[picked] + rng.normal(size=(n, 2))
    if kind == "near":
        return 0.4 * centres[picked] + rng.normal(size=(n, 2))
    if kind == "long":
        return centres[picked] + rng.normal(size=(n, 2)) @ np.array([[2.5, 1.0], [0.0, 0.5]])
    if kind == "wide":
        held = 3 * np.random.default_rng(size).normal(size=(size, 8))
        return held[picked] + rng.normal(size=(n, 8))
    return rng.uniform(size=(n, size))


POPULATIONS = (
    *("round 3", "round 5", "round 7", "near 3", "near 5", "long 3", "long 5"),
    *("wide 3", "wide 6", "uniform 2", "uniform 4", "round 1"),
)


def sets() -> Iterator[tuple[str, Any, Any]]:
    """Yield name, points, and new points where the population is known."""
    for name in POPULATIONS:
        for draw, n in enumerate((120, 400)):
            rng = np.random.default_rng([len(name), draw, sum(map(ord, name))])
            yield f"{name}, n = {n}", population(name, n, rng), population(name, NEW, rng)
    for name, load in (("iris", load_iris), ("wine", load_wine), ("cancer", load_breast_cancer)):
        yield name, StandardScaler().fit_transform(load().data), None
    yield "digits, 6 components", PCA(6, random_state=0).fit_transform(load_digits().data), None


def judged(points: Any, new: Any) -> dict[str, Any]:
    """Return the likelihood at every number of clusters, in the two or three ways."""
    options = {"covariance": "spherical", "regularization": 1e-6}
    asked = {KEY: options}
    plain: dict[str, Any] = {"values": NUMBERS, "random_state": 0, "references": 0, "n_jobs": -1}
    refit = cv.tune("kmeans", points, measures=asked, progress=False, **plain)
    found = {"refit": refit.curves[KEY]}
    labels = refit.labels
    found["kept"] = np.array(
        [float(cv.validated_likelihood(points, labels[k], **options)) for k in NUMBERS]
    )
    if new is not None:
        found["new"] = np.array(
            [
                float(cv.validated_likelihood(points, labels[k], **options, validation=new))
                for k in NUMBERS
            ]
        )
    return found


def main() -> None:
    """Print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into docs/theory.md")
    write = parser.parse_args().write
    heads = [f"k = {k}" for k in SHOWN]
    lines = [
        f"| set | {' | '.join(heads)} | kept | refit | new |",
        f"|---|{'--:|' * (len(SHOWN) + 3)}",
    ]
    other = 0
    misses: dict[str, list[int]] = {"kept": [], "refit": []}
    biases: dict[str, list[Any]] = {"kept": [], "refit": []}
    for name, points, new in sets():
        found = judged(points, new)
        excess = found["kept"] - found["refit"]
        chosen = {how: NUMBERS[int(np.argmax(curve))] for how, curve in found.items()}
        other += chosen["kept"] != chosen["refit"]
        if new is not None:
            for how in misses:
                misses[how].append(abs(chosen[how] - chosen["new"]))
                biases[how].append(found[how] - found["new"])
        cells = [f"{excess[NUMBERS.index(k)]:+.3f}" for k in SHOWN]
        cells += [str(chosen.get(how, "")) for how in ("kept", "refit", "new")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    total, known = len(lines) - 2, len(misses["kept"])
    lines += ["", f"Kept labels choose another number than refits in {other} of {total} sets."]
    for how, name in (("kept", "Kept labels"), ("refit", "Refits")):
        first, last = np.mean(biases[how], axis=0)[[0, -1]]
        right = sum(miss == 0 for miss in misses[how])
        lines.append(
            f"{name} choose as new points do in {right} of {known} sets and miss by up to "
            f"{max(misses[how])}; their likelihood minus that of new points is {first:+.3f} nats "
            f"at k = {NUMBERS[0]} and {last:+.3f} at k = {NUMBERS[-1]} on average."
        )
    text = "\n".join(lines)
    print(text)  # a study prints
    if write:
        begin, end = "<!-- validated likelihood -->", "<!-- end -->"
        pattern = re.compile(f"{begin}.*?{end}", re.DOTALL)
        whole = THEORY.read_text(encoding="utf-8")
        THEORY.write_text(pattern.sub(lambda _: f"{begin}\n{text}\n{end}", whole), encoding="utf-8")


if __name__ == "__main__":
    main()
