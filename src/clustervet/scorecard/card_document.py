"""Score cards as tables and sentences."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clustervet.inference import Chance, Ranking
from clustervet.registry import Measure, measures
from clustervet.view import (
    Cell,
    Column,
    Row,
    Section,
    Table,
    best_places,
    name_cell,
    number_cell,
    text_cell,
)
from clustervet.view.words import (
    ARROWS,
    DIRECTIONS,
    bounds,
    distinct,
    ident,
    inner_title,
    listed,
    noise_note,
    number,
    scale_note,
    short,
    spoken,
    sure_digits,
)

if TYPE_CHECKING:
    from clustervet.scorecard.card import Score, ScoreCard

Cards = Mapping[str, "ScoreCard"]
Levels = Mapping[str, Mapping[str, Chance]]
# By measure and card, a letter per group of cards that the data cannot tell apart.
Marks = Mapping[str, Mapping[str, str]]
# The measures that a table of clusterings and a headline show first, if the cards have them.
LEADING = (
    "adjusted_rand",
    "adjusted_mutual_information",
    "variation_of_information",
    "matching_accuracy",
    "purity",
    *("ndc", "adjusted_concordance", "fuzzy_adjusted_rand", "soft_normalized_mutual_information"),
    *("omega_index", "overlapping_nmi_max", "extended_bcubed_f1", "best_match_f1"),
    *("cophenetic_correlation", "bakers_gamma", "normalized_robinson_foulds", "dendrogram_purity"),
)
LEADING_INNER = (
    *("silhouette", "calinski_harabasz", "davies_bouldin", "dbcv"),
    *("partition_coefficient", "fuzzy_silhouette", "fuzzy_xie_beni"),
)
HEADLINES = (
    *("adjusted_rand", "silhouette", "simplified_silhouette", "davies_bouldin"),
    *("ndc", "omega_index", "cophenetic_correlation", "partition_coefficient"),
)
# Cards that fit side by side; more have one row per value.
SIDE_BY_SIDE = 12
# Measures up to which a note names them, where it is about all.
FEW_KEYS = 3
# Notes on single values that are shown.
NOTES = 12
ARROWS_NOTE = "↑ higher is better, ↓ lower is better."


def cards_document(
    cards: Cards, *, named: bool, subject: Any, ranking: Ranking | None = None
) -> Section:
    """Return what was scored, every score, and why values are undefined."""
    marks = {} if ranking is None else {measures[ranking.measure].key: ranking.letters}
    records = [score.measure for score in next(iter(cards.values())).scores.values()]
    return Section(
        "scores",
        "Scores",
        tuple(_captions(cards, named)),
        (
            leaders_table("scores-leaders", cards, detail=True),
            scores_table(cards, named, marks=marks),
        ),
        notes=(*card_notes(cards, named)[:NOTES], *card_cautions(cards)),
        lead=tuple(filter(None, headlines(cards, ranking))),
        subject=subject,
        measures=tuple(records),
    )


def _captions(cards: Cards, named: bool) -> list[str]:
    """Return what was scored, and what stands in brackets."""
    lines = [
        f"{short(name)}: {card.subject}" if named else str(card.subject)
        for name, card in cards.items()
    ]
    scores = [score for card in cards.values() for score in card.scores.values()]
    found = next((score.interval for score in scores if score.interval is not None), None)
    if found is not None:
        how = f"from {found.how}" if found.resamples else found.how
        lines.append(f"[low, high]: {found.confidence:.4g} confidence intervals, {how}")
    sampled = next((s.ends for s in scores if s.is_sampled and s.interval is None), None)
    if sampled is not None:
        lines.append(f"[low, high]: {sampled[2]:g} confidence interval of a value that was sampled")
    return lines


def scores_table(
    cards: Cards, named: bool, key: str = "scores-all", marks: Marks | None = None
) -> Table:
    """Return one row per measure with the cards side by side, or one row per value for many."""
    if len(cards) > SIDE_BY_SIDE:
        return _long_table(cards, key)
    heads = distinct(cards, 40) if named else ["value"]
    columns = (
        Column("measure", "text"),
        Column("", "text"),
        *(Column(head) for head in heads),
        Column("range", "text"),
        Column("unit", "text"),
    )
    first = next(iter(cards.values()))
    kept = list(first.scores)
    rows = []
    for k, (measure, score) in enumerate(first.scores.items()):
        record = score.measure
        scores = [card.scores[measure] for card in cards.values()]
        best = _best(cards.values(), scores)
        letters = (marks or {}).get(measure, {})
        cells = [
            replace(score_cell(each, best=at in best), mark=letters.get(name, ""))
            for at, (name, each) in enumerate(zip(cards, scores, strict=True))
        ]
        end = k + 1 == len(kept) or first.scores[kept[k + 1]].measure.family != record.family
        rows.append(Row((*_measure_cells(record), *cells, *_range_cells(record)), last=end))
    return Table(key, "Every score", columns, tuple(rows), ARROWS_NOTE)


def _long_table(cards: Cards, key: str) -> Table:
    columns = ("clustering", "measure", "", "value", "range", "unit")
    rows = tuple(
        Row(
            (
                name_cell("pred", name),
                *_measure_cells(score.measure),
                score_cell(score),
                *_range_cells(score.measure),
            ),
            ident("pred", name),
        )
        for name, card in cards.items()
        for score in card.scores.values()
    )
    heads = tuple(Column(title, "number" if title == "value" else "text") for title in columns)
    return Table(key, "Every score", heads, rows, ARROWS_NOTE)


def _measure_cells(record: Measure) -> tuple[Cell, Cell]:
    return (
        text_cell(record.key, long=record.title, hint=record.meaning),
        Cell(ARROWS[record.better]),
    )


def _range_cells(record: Measure) -> tuple[Cell, Cell]:
    return text_cell(bounds(record.bounds)), text_cell(record.unit)


def _comparable(cards: Iterable[ScoreCard]) -> list[list[int]]:
    """Return the places of cards of the same classes and objects, of which one can be best."""
    found: dict[Any, list[int]] = {}
    for place, card in enumerate(cards):
        found.setdefault((card.subject.truth, card.subject.group), []).append(place)
    return list(found.values())


def _best(cards: Iterable[ScoreCard], scores: Sequence[Score]) -> set[int]:
    """Return the places of the best scores of one measure, among those that compare."""
    better = scores[0].measure.better
    return {
        places[k]
        for places in _comparable(cards)
        for k in best_places([scores[place].value for place in places], better)
    }


def score_cell(score: Score, *, best: bool = False) -> Cell:
    """Return a score with its interval."""
    low, high, _ = score.ends or (None, None, None)
    unit = score.measure.unit
    return number_cell(score.value, unit, low=low, high=high, best=best, hint=score.why or "")


def card_notes(cards: Cards, named: bool) -> list[str]:
    """Return why values are undefined or intervals shifted, one line per reason, and remarks."""
    reasons: dict[str, dict[tuple[str, ...], list[str]]] = {}
    remarks: dict[str, list[str]] = {}
    for name, card in cards.items():
        found: dict[str, list[str]] = {}
        for score in card.scores.values():
            for why, more in _reasons(score):
                found.setdefault(why, []).append(score.measure.key + more)
        for why, keys in found.items():
            whole = FEW_KEYS < len(keys) == len(card.scores)
            held = ("all measures",) if whole else tuple(keys)
            reasons.setdefault(why, {}).setdefault(held, []).append(name)
        for line in card.subject.remarks:
            remarks.setdefault(line, []).append(name)

    def of(names: list[str], every: bool) -> str:
        return f" ({', '.join(map(short, names))})" if named and not every else ""

    return [
        *(
            f"{', '.join(keys)}: {why}{of(names, False)}"
            for why, held in reasons.items()
            for keys, names in held.items()
        ),
        *(f"{line}{of(names, len(names) == len(cards))}" for line, names in remarks.items()),
    ]


def card_cautions(cards: Cards) -> list[str]:
    """Return where the label -1 is scored as a cluster, and that features differ in scale."""
    return [line for line in (noise_caution(cards), scale_caution(cards)) if line]


def noise_caution(cards: Cards) -> str:
    """Return where the label -1 is scored as a cluster or class; empty where it is nowhere."""
    subjects = [card.subject for card in cards.values()]
    clusters = {one.pred: (one.noise_as_cluster[1], one.objects) for one in subjects}
    classes = {one.truth: (one.noise_as_cluster[0], one.objects) for one in subjects}
    inner = any(one.truth == "" for one in subjects)
    return noise_note(clusters, classes, aside="dbcv" if inner else "")


def scale_caution(cards: Cards) -> str:
    """Return that the features differ in scale; empty where they do not."""
    ratios = [getattr(card.subject, "scale_ratio", 0.0) for card in cards.values()]
    return scale_note(max(ratios, default=0.0))


def _reasons(score: Score) -> list[tuple[str, str]]:
    """Return why a score has no value or no good interval, and figures of its own."""
    found = [(score.why, "")] if score.why else []
    interval = score.interval
    if interval is None:
        return found
    if interval.undefined and not score.why:
        if interval.resamples:
            where = f"in {interval.undefined:,} of {interval.resamples:,} resampled tables"
        elif interval.groups:
            where = f"when any of {interval.undefined:,} groups of {interval.of} is left out"
        elif interval.undefined == 1:
            where = "when one particular object is left out"
        else:
            where = f"when any one of {interval.undefined:,} objects is left out"
        found.append((f"undefined {where}", ""))
    if interval.caution:
        covered = interval.coverage if interval.width else None
        why = f"{interval.caution}, at worst the share in brackets" if covered else interval.caution
        found.append((why, f" ({covered.least:.0%})" if covered else ""))
    elif interval.is_shifted:
        why = (
            "the value is biased by more than its standard error, so the interval reaches further "
            "to the other side"
        )
        found.append((why, ""))
    return found


def leaders_table(
    key: str,
    cards: Cards,
    chances: Levels | None = None,
    ranking: Ranking | None = None,
    remark: str = "",
    *,
    detail: bool = False,
) -> Table:
    """Return one row per clustering: its place, its clusters, and the leading measures."""
    first = next(iter(cards.values()))
    inner, kind = first.subject.truth == "", getattr(first.subject, "kind", "external")
    leading = ranking.measure if ranking is not None else ""
    keys = leading_keys(cards, ranking)
    order = from_best(cards, leading)
    scored = [[cards[name].scores[k] for name in order] for k in keys]
    best = [_best([cards[name] for name in order], each) for each in scored]
    standing = {} if ranking is None else _standing(ranking, order[0])
    sized = bool(remark) or len({card.subject.objects for card in cards.values()}) > 1
    levels = chances or {}
    tested = next((k for k in keys if any(k in found for found in levels.values())), "")
    found = {name: levels.get(name, {}).get(tested) for name in order}
    least = _least(found.values())
    columns = [
        Column("clustering", "text"),
        *([Column("against the best", "chip", hint=STANDING)] if standing else []),
        Column("groups" if kind in ("overlapping", "hierarchical") else "clusters"),
        *([Column("objects", hint="Objects that it is scored on")] if sized else []),
        *(_score_column(each) for each in scored),
        *([Column("p-value against chance")] if tested and not least else []),
    ]
    rows = []
    for at, name in enumerate(order):
        subject = cards[name].subject
        cells = [
            name_cell("pred", name),
            *([text_cell(standing.get(name, ""))] if standing else []),
            number_cell(subject.clusters),
            *([number_cell(subject.objects)] if sized else []),
            *(score_cell(s[at], best=at in b) for s, b in zip(scored, best, strict=True)),
            *([_p_cell(found[name])] if tested and not least else []),
        ]
        rows.append(Row(tuple(cells), ident("pred", name)))
    notes = [remark, f"{STANDING}." if standing else ""]
    if tested:
        whose = f"the {inner_title(measures[tested].title)}"
        notes.append(f"{least}, by {whose}." if least else f"The p-value is that of {whose}.")
    screen = ["A dot marks the best value."] if any(best) else []
    if any(score.ends for each in scored for score in each):
        screen.append("Brackets hold the interval of a value; the line below shows it.")
    title = "The clusterings side by side" if len(cards) > 1 else "The leading measures"
    title += f", by {'their' if len(cards) > 1 else 'its'} features" if inner else ""
    note = " ".join(filter(None, notes))
    return Table(
        key, title, tuple(columns), tuple(rows), note, screen=" ".join(screen), detail=detail
    )


def leading_keys(cards: Cards, ranking: Ranking | None = None) -> list[str]:
    """Return the measures that a table and a figure of clusterings show, the ranking one first."""
    first = next(iter(cards.values()))
    usual = LEADING_INNER if first.subject.truth == "" else LEADING
    wanted = [k for k in usual if k in first.scores]
    values = {
        k: [card.scores[k].value for card in cards.values() if k in card.scores] for k in wanted
    }
    wanted = [k for k in wanted if not all(map(math.isnan, values[k]))] or wanted
    leading = ranking.measure if ranking is not None else ""
    keys = [k for k in (leading, *(wanted or list(first.scores)[:5])) if k in first.scores]
    return list(dict.fromkeys(keys))


STANDING = "A clustering is called worse than the best one only where the data show it"
SAME = "not distinguishable from the best"


def _standing(ranking: Ranking, best: str) -> dict[str, str]:
    """Return by clustering whether the data can tell it from the best one."""
    found = {best: "best"}
    for pair in ranking.comparisons:
        if best in (pair.first, pair.second):
            other = pair.second if pair.first == best else pair.first
            found[other] = (
                SAME if pair.better is None else "worse" if pair.better == best else "better"
            )
    return found


def _least(levels: Iterable[Chance | None]) -> str:
    """Return that no random clustering did as well, where this holds for all; else nothing."""
    found = [level for level in levels if level is not None]
    if not found or not all(level.is_least for level in found):
        return ""
    least = max(found, key=lambda level: level.p_value)
    whose = "any of them" if len(found) > 1 else "it"
    told = f"None of {least.samples:,} random clusterings does as well as {whose}"
    return f"{told} (p ≤ {least.p_value:.2g})"


def _p_cell(found: Chance | None) -> Cell:
    if found is None or math.isnan(found.p_value):
        return Cell("-")
    p = found.p_value
    if found.is_least:
        return Cell(f"≤ {p:.2g}", float(p))
    return Cell(f"{p:.3f}" if p >= 0.001 else "< 0.001", float(p))


def _score_column(scores: Sequence[Score]) -> Column:
    """Return the head of a column of the values of one measure."""
    record = scores[0].measure
    unit = f", {record.unit}" if record.unit else ""
    way = "" if record.better == "neither" else DIRECTIONS[record.better]
    return Column(
        f"{record.title}{unit}\u00a0{ARROWS[record.better]}".strip(),
        hint=". ".join(filter(None, [record.meaning.rstrip("."), way])),
        scale=_scale(record, scores),
    )


def _scale(record: Measure, scores: Iterable[Score]) -> tuple[float, float] | None:
    """Return the range in which intervals are drawn: the measure's bounds, or what occurs."""
    found = list(scores)
    ends = [x for score in found for x in (*(score.ends or ())[:2], float(score.value))]
    defined = [x for x in ends if math.isfinite(x)]
    if not defined or all(score.ends is None for score in found):
        return None
    low, high = record.bounds
    # No value below 0 occurs in most data: the scale is spent on those that do.
    low = min(0.0, *defined) if math.isinf(low) or low < 0 else low
    high = max(defined) if math.isinf(high) else high
    return (low, high) if high > low else None


def from_best(cards: Cards, key: str) -> list[str]:
    """Return names from the best value of a measure to the worst; as given without one."""
    if not key:
        return list(cards)
    sign = -1 if measures[key].better == "higher" else 1
    values = {name: sign * float(card.scores[key].value) for name, card in cards.items()}
    return sorted(cards, key=lambda name: (math.isnan(values[name]), values[name]))


def headline_key(cards: Cards) -> str:
    """Return the measure with a direction that people ask for first; empty if there is none."""
    first = next(iter(cards.values()))
    keys = [key for key, score in first.scores.items() if score.measure.better != "neither"]
    return next((key for key in (*HEADLINES, *keys) if key in keys), "")


def best_card(cards: Cards, key: str) -> str:
    """Return the name of the card with the best value; the first where none is defined."""
    return from_best(cards, key)[0] if key else next(iter(cards))


def headlines(cards: Cards, ranking: Ranking | None = None) -> list[str]:
    """Return which card is ahead, and whether the data can tell, one sentence each.

    The measure is the one that ranks, or else the one that people ask for first.
    """
    key = headline_key(cards) if ranking is None else measures[ranking.measure].key
    if not key:
        return []
    best = best_card(cards, key)
    if len(_comparable(cards.values())) > 1:
        return [_spread(cards, key)]
    words = score_words(cards[best], key)
    if len(cards) == 1:
        return [f"{spoken(best)} has {words}."]
    said = f"Of {len(cards):,} clusterings {spoken(best)} is ahead: {words}."
    return [said] if ranking is None else [said, ranking.verdict_on(best)]


def _spread(cards: Cards, key: str) -> str:
    """Return how far cards go that do not compare, in a sentence."""
    order = [
        name for name in from_best(cards, key) if not math.isnan(cards[name].scores[key].value)
    ]
    if not order:
        return ""
    of = "groups" if cards[order[0]].subject.group else "classes"
    record = cards[order[0]].scores[key].measure
    ends = [
        f"{number(cards[name].scores[key].value, record.unit)} ({spoken(name)})"
        for name in (order[-1], order[0])
    ]
    title = f"the {inner_title(record.title)} goes from {ends[0]} to {ends[1]}"
    return f"Over {len(cards):,} score cards of different {of}, {title}."


def score_words(card: ScoreCard, key: str) -> str:
    """Return a score within a sentence, with its interval."""
    score = card.scores[key]
    record = score.measure
    unit = f" {record.unit}" if record.unit else ""
    title = inner_title(record.title)
    if score.ends is None:
        return f"{title} {number(score.value, record.unit)}{unit}"
    low, high, level = score.ends
    value, start, end = sure_digits(low, high, score.value, low, high)
    return f"{title} {value}{unit} ({100 * level:.4g}% interval {start} to {end})"


def without_interval(records: Iterable[Measure]) -> list[str]:
    """Return which measures have no interval, one line per reason."""
    reasons: dict[str, list[str]] = {}
    for record in records:
        if record.no_interval:
            reasons.setdefault(record.no_interval, []).append(record.key)
    return [f"No interval for {listed(keys)}: {why}." for why, keys in reasons.items()]
