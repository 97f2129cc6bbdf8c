"""The fixed small inputs of the snapshot cases, written into a folder."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
from scipy.cluster.hierarchy import linkage

import clustervet as cv
from clustervet.datasets import iris_path

KINDS = ("cat", "dog", "owl")
OWN = """
from sklearn.cluster import KMeans

import clustervet as cv


@cv.measure(title="Share of singletons", family="mine", better="lower", bounds=(0, 1))
def singleton_share(table):
    return float((table.cluster_sizes == 1).mean())


def plain(table):
    return float(table.n)


class Own(KMeans):
    pass
"""
# Labels that a page, a spreadsheet, Markdown or a terminal could take for something else.
HOSTILE = (
    ("<b>bold</b>", "=1+1"),
    ("<b>bold</b>", "a|b"),
    ("pipe|pipe", "a|b"),
    ("pipe|pipe", "[red]x[/red]"),
    ("*star* _under_", "[red]x[/red]"),
    ("naïve 猫 שלום", "-"),
    ("a rather long name of a class that somebody typed without thinking of columns", "-"),
    ("tab\there", "=1+1"),
)
WORDS = {
    "cooking": "bread butter cake dough flour oven salt sugar yeast",
    "sailing": "anchor boat harbour keel mast rope sail tide wind",
    "tennis": "ball court match net racket serve set umpire volley",
}


@cache
def labels() -> dict[str, list]:
    """Two truths, three clusterings, weights and a mask of 30 objects."""
    rng = np.random.default_rng(1)
    kind = np.repeat(np.arange(3), 10)
    kmeans = np.where(rng.random(30) < 0.15, (kind + 1) % 3, kind)
    ward = np.where(rng.random(30) < 0.3, (kind + 2) % 3, kind)
    hdbscan = np.where(rng.random(30) < 0.3, -1, np.minimum(kind, 1))
    return {
        "id": [f"o{k:02d}" for k in range(30)],
        "kind": [KINDS[k] for k in kind],
        "size": ["small" if k % 3 else "large" for k in range(30)],
        "kmeans": kmeans.tolist(),
        "ward": ward.tolist(),
        "hdbscan": hdbscan.tolist(),
        "weight": [1 + k % 4 for k in range(30)],
        "share": [0.5 + 0.25 * (k % 3) for k in range(30)],
        "seen": [k % 2 == 0 for k in range(30)],
    }


@cache
def points() -> pl.DataFrame:
    """Three clouds of 15 points in three dimensions, with a class and clusterings."""
    rng = np.random.default_rng(2)
    kind = np.repeat(np.arange(3), 15)
    order = rng.permutation(45)
    centres = np.array([[0, 0, 0], [6, 0, 1], [0, 6, 2]])
    x = (rng.normal(size=(45, 3)) + centres[kind])[order].round(3)
    kind = kind[order]
    off = np.where(np.arange(45) % 9 == 0, (kind + 1) % 3, kind)
    noisy = np.where(np.arange(45) % 11 == 0, -1, kind)
    return pl.DataFrame(
        {
            "x1": x[:, 0],
            "x2": x[:, 1],
            "x3": x[:, 2],
            "kind": [KINDS[k] for k in kind],
            "kmeans": kind,
            "ward": off,
            "hdbscan": noisy,
            "seen": np.arange(45) % 2 == 0,
        }
    )


@cache
def labelings() -> dict[str, list[int]]:
    """Six labelings of 24 objects, in two groups."""
    rng = np.random.default_rng(3)
    bases = [np.repeat([0, 1, 2], 8), np.tile([0, 1], 12)]
    found = {}
    for k, name in enumerate("abcdef"):
        base = bases[k // 4]
        changed = rng.random(24) < 0.05 * (1 + k % 4)
        found[name] = np.where(changed, (base + 1) % (base.max() + 1), base).tolist()
    return found


def documents() -> list[tuple[str, str]]:
    """A class and a text, eight of each class."""
    rng = np.random.default_rng(4)
    every = sorted({word for words in WORDS.values() for word in words.split()})
    found = []
    for name, words in WORDS.items():
        for _ in range(8):
            own = rng.choice(words.split(), 10)
            other = rng.choice(every, 2)
            found.append((name, " ".join([*own, *other])))
    return found


def make(folder: Path) -> None:
    """Write every input into the folder."""
    _write_labels(folder)
    _write_points(folder)
    _write_labelings(folder)
    _write_texts(folder)
    shutil.copy(iris_path(), folder / "iris.csv")
    (folder / "snapshot_own.py").write_text(OWN)


def _csv(path: Path, columns: dict[str, list]) -> None:
    pl.DataFrame(columns, strict=False).write_csv(path)


def _write_labels(folder: Path) -> None:
    table = labels()
    _csv(folder / "table.csv", table)
    pl.DataFrame(table).write_parquet(folder / "table.parquet")
    pl.DataFrame(table).write_ndjson(folder / "table.jsonl")
    _csv(folder / "two.csv", {name: table[name] for name in ("kind", "kmeans")})
    (folder / "semicolons.csv").write_text(
        "\n".join(
            f"{kind};{pred}" for kind, pred in zip(table["kind"], table["kmeans"], strict=True)
        )
    )
    (folder / "truth.csv").write_text("\n".join(table["kind"]) + "\n")
    (folder / "pred.csv").write_text("\n".join(map(str, table["kmeans"])) + "\n")
    (folder / "named.csv").write_text("\n".join(["label", *map(str, table["ward"])]) + "\n")
    (folder / "short.csv").write_text("\n".join(map(str, table["kmeans"][:20])) + "\n")
    (folder / "empty.csv").write_text("")
    kind = [None if k % 7 == 3 else name for k, name in enumerate(table["kind"])]
    kmeans = [None if k % 10 == 5 else code for k, code in enumerate(table["kmeans"])]
    _csv(folder / "gaps.csv", {"kind": kind, "kmeans": kmeans, "ward": table["ward"]})
    alone = {"all": ["x"] * 4, "one": [0] * 4, "each": [0, 1, 2, 3], "kind": ["a", "a", "b", "b"]}
    _csv(folder / "alone.csv", alone)
    truth, pred = zip(*HOSTILE, strict=True)
    _csv(folder / "hostile.csv", {"<i>truth</i>|": list(truth), "=pred|[b]": list(pred)})
    _csv(folder / "ids_truth.csv", {"id": table["id"][:27], "kind": table["kind"][:27]})
    later = range(29, 3, -1)
    joined = {name: [table[name][k] for k in later] for name in ("id", "kmeans", "ward")}
    _csv(folder / "ids_pred.csv", joined)
    (folder / "lake").mkdir()
    for k, rows in enumerate((slice(0, 12), slice(12, 30))):
        part = pl.DataFrame({name: column[rows] for name, column in table.items()})
        part.write_parquet(folder / "lake" / f"part{k}.parquet")
        counts = cv.Contingency.from_labels(table["kind"][rows], table["kmeans"][rows])
        counts.save(folder / f"counts{k}.json")
        counts.save(folder / f"counts{k}.parquet")


def _write_points(folder: Path) -> None:
    frame = points()
    frame.write_csv(folder / "points.csv")
    frame.write_parquet(folder / "points.parquet")
    frame.select("kind", "kmeans", "ward").write_csv(folder / "point_labels.csv")
    (folder / "suite").mkdir()
    for name, part in {"all": frame, "even": frame[::2], "late": frame[20:]}.items():
        part.select("x1", "x2", "x3", "kind").write_csv(folder / "suite" / f"{name}.csv")
    matrix = frame.select("x1", "x2", "x3").to_numpy()
    np.save(folder / "points.npy", matrix)
    np.save(folder / "merges.npy", linkage(matrix, "average"))
    np.save(folder / "short.npy", linkage(matrix[:5], "average"))
    group = ["bird" if kind == "owl" else "beast" for kind in frame["kind"]]
    part = [f"{name} {k % 3}" for k, name in enumerate(group)]
    nested = {
        "kind": frame["kind"],
        "group": group,
        "part": part,
        "other": [0, *[1, 2] * 30][: len(part)],
    }
    pl.DataFrame(nested).write_csv(folder / "nested.csv")
    kinds = np.array(frame["kind"].to_list())
    seen = frame["seen"].to_numpy()
    np.savez(folder / "points.npz", X=matrix, kind=kinds, seen=seen, kmeans=frame["kmeans"])
    hidden = [kind if k % 2 else None for k, kind in enumerate(frame["kind"])]
    frame.with_columns(kind=pl.Series(hidden)).write_csv(folder / "part_labelled.csv")
    (folder / "shards").mkdir()
    frame[:20].write_parquet(folder / "shards" / "0.parquet")
    frame[20:].write_parquet(folder / "shards" / "1.parquet")
    rng = np.random.default_rng(5)
    cloud = rng.normal(size=(40, 2)).round(3)
    pl.DataFrame({"x1": cloud[:, 0], "x2": cloud[:, 1]}).write_csv(folder / "cloud.csv")


def _write_labelings(folder: Path) -> None:
    found = labelings()
    _csv(folder / "runs.csv", {"id": list(range(24)), **found})
    gaps = {
        name: [None if (k + place) % 12 == 0 else code for k, code in enumerate(codes)]
        for place, (name, codes) in enumerate(found.items())
    }
    _csv(folder / "runs_gaps.csv", gaps)
    (folder / "runs").mkdir()
    for name, codes in found.items():
        (folder / "runs" / f"{name}.csv").write_text("\n".join(map(str, codes)) + "\n")
    (folder / "query.csv").write_text("\n".join(map(str, found["b"][::-1])) + "\n")


def _write_texts(folder: Path) -> None:
    texts = documents()
    for k, (name, text) in enumerate(texts):
        place = folder / "texts" / name
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{k:02d}.txt").write_text(text)
    _csv(
        folder / "mails.csv",
        {
            "folder": [name for name, _ in texts],
            "body": [text for _, text in texts],
            "seen": [k % 3 != 0 for k in range(len(texts))],
        },
    )
    rng = np.random.default_rng(6)
    classes = np.repeat([0, 1, 2], 20)
    rows = [
        np.concatenate([rng.integers(10 * c, 10 * c + 10, 12), rng.integers(30, 40, 3)])
        for c in classes
    ]
    (folder / "corpora").mkdir()
    np.savez(
        folder / "corpora" / "classic3.npz",
        data=np.ones(15 * 60),
        indices=np.concatenate(rows),
        indptr=np.arange(61) * 15,
        shape=np.array([60, 40]),
        labels=classes,
        class_names=np.array(["cisi", "cran", "med"]),
    )
