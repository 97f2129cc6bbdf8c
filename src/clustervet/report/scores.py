"""Sections about scores: who is ahead, whether the data can tell, and every value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from clustervet.inference import Chance, Comparison, Ranking
from clustervet.registry import Measure, measures
from clustervet.report.cells import (
    CONFIDENCE,
    interval_of,
    link_of,
    name_cell,
    name_text,
    number_cell,
    p_cell,
    score_cell,
    score_column,
    spoken_name,
    text_cell,
)
from clustervet.report.dropped import differ
from clustervet.report.phrases import inner_title
from clustervet.report.pictures import draw
from clustervet.report.record import Block, Cell, Column, Row, Section, Table
from clustervet.scorecard import ScoreCard
from clustervet.scorecard.render import ARROWS, best_cards, notes, span

Cards = Mapping[str, ScoreCard]
# Measures of the table of clusterings, those that the cards have.
LEADING = (
    "adjusted_rand",
    "adjusted_mutual_information",
    "variation_of_information",
    "purity",
)
LEADING_INNER = ("silhouette", "calinski_harabasz", "davies_bouldin", "dbcv")
# Clusterings that fit side by side; more have a row a value.
SIDE_BY_SIDE = 6
# Measures and clusterings in the figure of scores.
DRAWN = 14
# Pairs of clusterings that are all shown; of more only those with the leader.
PAIRS = 30


def leader_table(
    key: str,
    cards: Cards,
    chances: Mapping[str, Mapping[str, Chance]],
    ranking: Ranking | None,
    remark: str = "",
) -> Table:
    """A row a clustering: its place, its clusters, and the measures asked for first."""
    first = next(iter(cards.values()))
    wanted = LEADING_INNER if first.subject.truth == "" else LEADING
    keys = [k for k in wanted if k in first.scores] or list(first.scores)[:5]
    leading = ranking.measure if ranking is not None else ""
    keys = [k for k in (leading, *keys) if k in first.scores]
    records = [first.scores[k].measure for k in dict.fromkeys(keys)]
    order = _order(cards, leading)
    scored = [[cards[name].scores[r.key] for name in order] for r in records]
    best = [best_cards(scores) for scores in scored]
    place = _places(ranking)
    columns = [Column("clustering", "text"), Column("clusters")]
    if place:
        columns.insert(
            0, Column("place", hint="One more than the number that the data show to be better")
        )
    sized = bool(remark) or differ(card.subject.objects for card in cards.values())
    columns += [Column("objects", hint="Objects that it is scored on")] * sized
    columns += [score_column(r, s) for r, s in zip(records, scored, strict=True)]
    tested = [k for k in keys if any(k in levels for levels in chances.values())][:1]
    columns += [Column("p-value against chance") for _ in tested]
    rows = []
    for at, name in enumerate(order):
        cells = [name_cell("pred", name), number_cell(_clusters(cards[name]))]
        if place:
            cells.insert(0, number_cell(place.get(name)))
        cells += [number_cell(cards[name].subject.objects)] * sized
        cells += [
            score_cell(scores[at], best=at in winners)
            for scores, winners in zip(scored, best, strict=True)
        ]
        cells += [_tested(chances.get(name, {}).get(k)) for k in tested]
        rows.append(Row(tuple(cells), link_of("pred", name)))
    screen = "A dot marks the best value. " if any(best) else ""
    if any(cell.low is not None for row in rows for cell in row.cells):
        screen += "The line under a value is its interval. "
    note = f"{remark} " if remark else ""
    if any(map(_is_outside, (cell for row in rows for cell in row.cells))):
        note += (
            "Where an interval does not hold its value, the value is biased, as information is "
            "with many cells for few objects, and the interval is corrected for that. "
        )
    if place:
        note += "A place is one more than the number of clusterings shown to be better. "
    if tested:
        note += f"The p-value is that of the {inner_title(measures[tested[0]])}."
    title = "The clusterings side by side" if len(cards) > 1 else "The leading measures"
    if first.subject.truth == "":
        title += f", by {'their' if len(cards) > 1 else 'its'} features"
    return Table(key, title, tuple(columns), tuple(rows), note.strip(), screen=screen.strip())


def _is_outside(cell: Cell) -> bool:
    if cell.low is None or cell.high is None or not isinstance(cell.value, int | float):
        return False
    return not cell.low <= cell.value <= cell.high


def _clusters(card: ScoreCard) -> int:
    return int(card.subject.to_dict()["clusters"])


def _tested(found: Chance | None) -> Cell:
    return p_cell(math.nan if found is None else found.p_value)


def _order(cards: Cards, key: str) -> list[str]:
    """Names from the best value of a measure to the worst; as given without one."""
    names = list(cards)
    if not key:
        return names
    sign = -1 if measures[key].better == "higher" else 1
    values = {name: sign * float(cards[name].scores[key].value) for name in names}
    return sorted(names, key=lambda name: (math.isnan(values[name]), values[name]))


def _places(ranking: Ranking | None) -> dict[str, int]:
    """One more than the number of clusterings that the data show to be better."""
    if ranking is None:
        return {}
    found = dict.fromkeys(ranking.values, 1)
    for pair in ranking.comparisons:
        if pair.better is not None:
            found[pair.second if pair.better == pair.first else pair.first] += 1
    return found


def all_scores_table(key: str, cards: Cards, title: str = "Every score") -> Table:
    """A row a measure with the clusterings side by side, or a row a value for many of them."""
    if len(cards) > SIDE_BY_SIDE:
        return _long_table(key, cards, title)
    names = list(cards)
    first = cards[names[0]]
    columns = [Column("measure", "text"), *(Column(name_text(name, 24)) for name in names)]
    columns.append(Column("range", "text"))
    rows = []
    for k, score in first.scores.items():
        record = score.measure
        scores = [cards[name].scores[k] for name in names]
        winners = best_cards(scores)
        cells = [_measure_cell(record)]
        cells += [score_cell(each, best=at in winners) for at, each in enumerate(scores)]
        cells.append(text_cell(span(record.bounds)))
        rows.append(Row(tuple(cells)))
    return Table(key, title, tuple(columns), tuple(rows), _interval_note(cards))


def _measure_cell(record: Measure) -> Cell:
    unit = f", {record.unit}" if record.unit else ""
    return text_cell(f"{record.title}{unit} {ARROWS[record.better]}".strip())


def _long_table(key: str, cards: Cards, title: str) -> Table:
    columns = (
        Column("clustering", "text"),
        Column("measure", "text"),
        Column("value"),
        Column("range", "text"),
    )
    rows = [
        Row(
            (
                name_cell("pred", name),
                _measure_cell(score.measure),
                score_cell(score),
                text_cell(span(score.measure.bounds)),
            ),
            link_of("pred", name),
        )
        for name, card in cards.items()
        for score in card.scores.values()
    ]
    return Table(key, title, columns, tuple(rows), _interval_note(cards))


def _interval_note(cards: Cards) -> str:
    """What the small numbers under values are."""
    said = ["↑ higher is better, ↓ lower is better."]
    scores = [score for card in cards.values() for score in card.scores.values()]
    found = next((score.interval for score in scores if score.interval is not None), None)
    if found is not None:
        said.append(
            f"With a value stands its interval of {found.confidence:.4g} confidence, from "
            f"{found.resamples:,} resampled tables."
        )
    if any(score.interval is None and interval_of(score) for score in scores):
        said.append(f"With a value from a sample stands its interval of {CONFIDENCE:g} confidence.")
    return " ".join(said)


def pairs_table(key: str, ranking: Ranking) -> Table:
    """Every pair of clusterings, or every one with the leader where they are many."""
    record = measures[ranking.measure]
    leader = ranking.groups[0][0]
    found = list(ranking.comparisons)
    times = max((c.interval.resamples for c in found), default=0)
    note = (
        f"{record.title}, {ranking.objects:,} objects resampled {times:,} times with all their "
        f"labels together. An interval, of {ranking.confidence:.4g} confidence, is for its pair "
        "alone; p-values are corrected for the number of pairs (Holm 1979), so that an interval "
        "without 0 need not mean that the data can tell."
    )
    if len(found) > PAIRS:
        found = [c for c in found if leader in (c.first, c.second)]
        note += (
            f" Of {len(ranking.comparisons):,} pairs those with {spoken_name(leader)} are shown."
        )
    columns = (
        Column("first", "text"),
        Column("second", "text"),
        Column("difference", hint="The first less the second", scale=_gap_scale(found)),
        Column("p-value"),
        Column("better", "text"),
    )
    rows = tuple(
        Row(
            (
                name_cell("pred", c.first),
                name_cell("pred", c.second),
                _gap_cell(c),
                p_cell(c.p_value),
                name_cell("pred", c.better) if c.better else Cell("cannot tell"),
            )
        )
        for c in found
    )
    return Table(key, "Can the data tell them apart?", columns, rows, note)


def _gap_cell(found: Comparison) -> Cell:
    cell = number_cell(found.difference)
    if math.isnan(found.interval.low):
        return cell
    return Cell(cell.text, cell.value, found.interval.low, found.interval.high)


def _gap_scale(found: Sequence[Comparison]) -> tuple[float, float] | None:
    ends = [x for c in found for x in (c.interval.low, c.interval.high, 0.0) if math.isfinite(x)]
    return (min(ends), max(ends)) if ends and max(ends) > min(ends) else None


def score_blocks(
    prefix: str,
    cards: Cards,
    chances: Mapping[str, Mapping[str, Chance]],
    ranking: Ranking | None = None,
    remark: str = "",
) -> list[Block]:
    """The clusterings side by side, as a table and as a figure."""
    table = leader_table(f"{prefix}-leaders", cards, chances, ranking, remark)
    first = next(iter(cards.values()))
    keys = [
        score.measure.key
        for score in first.scores.values()
        if score.measure.better != "neither"
        and all(map(math.isfinite, score.measure.bounds))
        and all(score.measure.key in card.scores for card in cards.values())
        and any(math.isfinite(card[score.measure.key]) for card in cards.values())
    ]
    keys = sorted(keys, key=lambda k: LEADING.index(k) if k in LEADING else len(LEADING))[:DRAWN]
    blocks: list[Block] = [table]
    if keys:
        levels = {name: dict(chances[name]) for name in list(chances)[:1]}
        blocks.append(
            draw(
                f"{prefix}-scores",
                "score_plot",
                cards,
                chance=levels or None,
                measures=keys,
                table=f"{prefix}-all",
            )
        )
    return blocks


def scores_section(
    key: str, title: str, cards: Cards, *, folded: bool = False, paragraphs: tuple[str, ...] = ()
) -> Section:
    """Every value of every measure."""
    return Section(
        key,
        title,
        paragraphs,
        (all_scores_table(f"{key}-all", cards),),
        notes=tuple(notes(list(cards.values()), list(cards) if len(cards) > 1 else None)[:12]),
        folded=folded,
    )
