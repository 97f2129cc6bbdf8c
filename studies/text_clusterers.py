"""What the clusterers for text gain over k-means on tf-idf, and what annealing gains.

    python studies/text_clusterers.py --data DIR [--seeds 5] [--starts 1] [--only NAME ...]

Each algorithm clusters every set into as many clusters as it has classes, from several seeds. The
study prints the mean normalized mutual information with the classes. DIR holds the corpora of
docs/corpora.md. Beside the sets of the paper there are draws of 300 messages from each of
three or ten other newsgroups, which no earlier choice of this project has used.

The sets are in two halves. The default of `SoftMovMF` was chosen on the first half and is reported
on the second.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from clustervet.clusterers import SoftMovMF, SphericalKMeans
from clustervet.datasets.corpora import load_corpus
from clustervet.fitting.preparation import TfIdf

GROUPS = {
    "science-300": ("sci.crypt", "sci.electronics", "sci.med"),
    "driving-300": ("rec.autos", "rec.motorcycles", "rec.sport.hockey"),
    "hardware-300": ("comp.sys.ibm.pc.hardware", "comp.sys.mac.hardware", "misc.forsale"),
    "ten-groups-300": (
        "comp.graphics",
        "comp.sys.mac.hardware",
        "comp.windows.x",
        "misc.forsale",
        "rec.autos",
        "rec.sport.hockey",
        "sci.crypt",
        "sci.med",
        "talk.politics.guns",
        "talk.religion.misc",
    ),
    "belief-300": ("soc.religion.christian", "talk.religion.misc", "comp.os.ms-windows.misc"),
}
CHOICE = (
    "classic2",
    "cmu-different-100",
    "cmu-same-100",
    "cmu-similar-1000",
    "cmu-newsgroup-clean-100",
    "science-300",
    "hardware-300",
)
REPORT = (
    "classic3",
    "cmu-similar-100",
    "cmu-different-1000",
    "cmu-same-1000",
    "yahoo",
    "driving-300",
    "belief-300",
)
MODELS: dict[str, Any] = {
    "k-means": KMeans(),
    "spherical": SphericalKMeans(),
    "soft, free": SoftMovMF(annealing=None),
    "soft, free, annealed": SoftMovMF(annealing=1.2),
    "soft, shared": SoftMovMF(annealing=None, concentration="shared"),
    "soft, shared, annealed": SoftMovMF(annealing=1.2, concentration="shared"),
}


def main() -> None:
    """Print one table per half."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--starts", type=int, default=1, help="the best of this many starts")
    parser.add_argument("--only", nargs="*")
    options = parser.parse_args()
    for half, names in {"chosen on": CHOICE, "reported on": REPORT}.items():
        print(f"| {half} | {' | '.join(MODELS)} |\n|{'---|' * (len(MODELS) + 1)}")
        rows = []
        for name in names:
            if options.only and name not in options.only:
                continue
            rows.append(scores(*read(name, options.data), options.seeds, options.starts))
            print(line(name, rows[-1]), flush=True)
        if rows:
            print(line("mean", np.mean(rows, axis=0)) + "\n", flush=True)


def line(name: str, values: Any) -> str:
    """One row of the table."""
    return f"| {name} | {' | '.join(f'{value:.3f}' for value in values)} |"


def read(name: str, folder: Path) -> tuple[Any, Any]:
    """The tf-idf weights and the classes of a set."""
    if name not in GROUPS:
        corpus = load_corpus(name, folder)
        return TfIdf().fit_transform(corpus.counts), corpus.labels
    with np.load(folder / "20news-19997-subject.npz", allow_pickle=False) as file:
        parts = file["data"], file["indices"], file["indptr"]
        counts = csr_matrix(parts, shape=tuple(file["shape"]))
        names = [str(group) for group in file["class_names"]]
        labels = file["labels"]
    rng = np.random.default_rng(300)
    wanted = [names.index(group) for group in GROUPS[name]]
    rows = np.concatenate(
        [rng.choice(np.flatnonzero(labels == group), 300, replace=False) for group in wanted]
    )
    part = counts[rows]
    part = part[:, np.bincount(part.indices, minlength=part.shape[1]) >= 3]
    kept = np.diff(part.indptr) > 0
    return TfIdf().fit_transform(part[kept]), np.unique(labels[rows][kept], return_inverse=True)[1]


def scores(rows: Any, classes: Any, seeds: int, starts: int) -> list[float]:
    """Mean agreement of each model with the classes over the seeds."""
    found = []
    for model in MODELS.values():
        told = {"n_clusters": len(np.unique(classes)), "n_init": starts}
        fits = (model.set_params(**told, random_state=seed).fit(rows) for seed in range(seeds))
        found.append(
            float(np.mean([normalized_mutual_info_score(classes, fit.labels_) for fit in fits]))
        )
    return found


if __name__ == "__main__":
    main()
