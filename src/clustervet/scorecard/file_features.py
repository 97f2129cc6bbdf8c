"""Clusterings in files, scored by features in the same files, which are never all in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from clustervet._checks import whole
from clustervet.errors import FileError
from clustervet.frames.columns import Kind
from clustervet.frames.engines import ENGINE_FORMATS, Engine, engine_for
from clustervet.frames.moments import cluster_moments
from clustervet.frames.places import find_files
from clustervet.frames.rows import FEWEST, Rows, sample_rows
from clustervet.frames.source import open_table
from clustervet.geometry import MomentGeometry
from clustervet.labels import show_label
from clustervet.labels.pair import Missing
from clustervet.registry import measures
from clustervet.scorecard.card import ScoreCard, ScoreCards
from clustervet.scorecard.internal import DRAWN_POINTS, score_geometry

SUFFIXES = {Path(f"x{suffix}").suffix for suffix in ENGINE_FORMATS if not suffix.endswith(".gz")}
# Measures that need products of features, and features up to which these are added up.
# Measures that need products of features, and those that need mean distances to centroids.
OF_PRODUCTS = ("log_likelihood", "bic", "aic", "rubin", "scott_symons", "marriott")
OF_SPREADS = ("davies_bouldin", "pbm")
MOST_CROSSED = 64


def is_for_engines(file: str) -> bool:
    """Whether every engine reads files with such a name."""
    return Path(file.removesuffix(".gz")).suffix.lower() in SUFFIXES


@dataclass(frozen=True)
class ChosenFeatures:
    """Columns of a file that are features, and why the others were left out."""

    feature_names: tuple[str, ...]
    left_out: Mapping[str, str]
    separator: str | None  # of delimited text


def choose_features(
    path: str, features: Sequence[str] | None, exclude: Sequence[str] = ()
) -> ChosenFeatures:
    """The columns that `Source.features` would take and that every engine reads as numbers."""
    source = open_table(path)
    source.check_header()
    taken, left_out = source.choose(features, exclude)
    separator = getattr(source, "delimiter", None)
    # An engine reads words of delimited text as they are.
    words = {Kind.boolean} if separator is not None else set()
    if features is None:
        left_out |= {name: "true and false" for name in taken if source.columns[name] in words}
        kept = tuple(name for name in taken if name not in left_out)
        return ChosenFeatures(kept, left_out, separator)
    for name in taken:
        kind = source.columns[name]
        if not kind.numeric or kind in words:
            raise FileError(
                f"column {show_label(name)!r} of {source.name} is {kind.partition(',')[0]}, not "
                "numbers."
            )
    return ChosenFeatures(tuple(taken), {}, separator)


@dataclass(frozen=True)
class FileFeatures:
    """Files with points and clusterings of them, and how they are read."""

    paths: Sequence[str]
    features: Sequence[str] | None = None
    exclude: Sequence[str] = ()
    engine: str = "duckdb"
    memory_limit: str | None = None
    noise: Any = None
    missing: Missing = "raise"
    metric: str = "euclidean"
    sample: int | None = None
    random_state: int = 0
    chosen: ChosenFeatures = field(init=False)
    files: list[str] = field(init=False)

    def __post_init__(self) -> None:
        # The columns are those of the first file; an engine needs the same ones in all files.
        files = find_files(self.paths)
        object.__setattr__(self, "chosen", choose_features(files[0], self.features, self.exclude))
        known = all(map(is_for_engines, files))
        object.__setattr__(self, "files", files if known else list(self.paths))
        if self.sample is not None:
            whole(self.sample, "sample", 2)

    def scores(
        self,
        preds: Sequence[str],
        keys: Sequence[str] | None = None,
        family: str | Iterable[str] | None = None,
    ) -> ScoreCards:
        """One score card per clustering: from moments, from rows in blocks, and from a sample.

        Sums are added where the rows are. Likelihoods and simplified silhouettes pass over the
        rows again; the silhouette is estimated from points drawn by cluster. What needs all
        distances at once stays undefined and says so.
        """
        chosen = measures.select(keys, kind="internal", family=family, general=True)
        wanted = {record.key for record in chosen}
        names = list(self.chosen.feature_names)
        with (
            engine_for(self.engine, memory_limit=self.memory_limit) as opened,
            opened.reading(
                self.files, columns=preds, numbers=names, separator=self.chosen.separator
            ) as frame,
        ):
            return ScoreCards(
                {
                    pred: self._card(opened, frame, pred, wanted, keys=keys, family=family)
                    for pred in dict.fromkeys(preds)
                }
            )

    def _card(
        self, opened: Engine, frame: Any, pred: str, wanted: set[str], **asked: Any
    ) -> ScoreCard:
        names = list(self.chosen.feature_names)
        columns: dict[str, Any] = {"label": pred, "features": names}
        moments = cluster_moments(
            frame,
            **columns,
            spreads=not wanted.isdisjoint(OF_SPREADS),
            cross=len(names) <= MOST_CROSSED and not wanted.isdisjoint(OF_PRODUCTS),
            noise=self.noise,
            missing=self.missing,
        )
        sample = None
        if "silhouette" in wanted:
            each = (self.sample or DRAWN_POINTS) // max(1, len(moments.names))
            with opened.in_order():  # so that the same seed draws the same rows
                sample = sample_rows(
                    frame,
                    **columns,
                    per_cluster=max(FEWEST, each),
                    random_state=self.random_state,
                    number=moments.n,
                )
        rows = Rows(frame, pred, names)
        geometry = MomentGeometry(moments, self.metric, sample=sample, rows=rows)
        return score_geometry(geometry, asked["keys"], family=asked["family"], pred=pred)
