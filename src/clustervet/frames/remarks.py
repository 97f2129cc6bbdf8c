"""What is to be said about how files were read, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from clustervet.labels import show_label
from clustervet.view.words import names

if TYPE_CHECKING:
    from clustervet.frames.source import Source


def header_remark(file: str, first: str, more: int = 0) -> str:
    """Return that a first line was taken as a name by a guess, in one file or in several."""
    which = f"the first line of {file}, {show_label(first)}, is taken as a name"
    others = f", as are those of {more:,} more files" if more else ""
    what = "they are labels" if more else "it is a label"
    return f"{which}{others}; with --no-header {what}."


def features_remark(features: Sequence[str], left_out: Mapping[str, str]) -> str:
    """Return which columns were taken as features, and why others were left out."""
    said = f"features are {names(features)}"
    if left_out:
        why = ", ".join(f"{show_label(name, 40)} ({why})" for name, why in left_out.items())
        said += f"; left out: {why}"
    return f"{said}."


def labelings_remark(taken: Sequence[str], index: Sequence[str]) -> str:
    """Return which columns were taken as labelings, and which are an index."""
    left = f"; left out: {', '.join(map(show_label, index))} (an index)" if index else ""
    return f"labelings are {names(taken)}{left}."


def unmatched_remark(truth_file: str, file: str, only_truth: int, only_prediction: int) -> str:
    """Return how many ids have no partner; empty where all have one."""
    parts = []
    if only_truth:
        parts.append(f"{only_truth:,} of {truth_file} are not in {file}")
    if only_prediction:
        parts.append(f"{only_prediction:,} of {file} are not in {truth_file}")
    return f"ids without a partner are left out: {', '.join(parts)}." if parts else ""


def joined_remarks(source: Source) -> list[str]:
    """Return how many ids of joined files have no partner, one sentence per file."""
    said = [unmatched_remark(**one.to_dict()) for one in source.unmatched]
    return [line for line in said if line]


PAIRED_BY_ROW = (
    "the first file has the truth and the second the prediction, row by row; for two parts of one "
    "table give a pattern or their folder, for ids --id."
)
