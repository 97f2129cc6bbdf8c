"""Random tables: every external measure against exact arithmetic."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from fuzz.cases import Case, Kind, Verdict, failed, right
from fuzz.rooms import Job, Room

# Tables of one case: one fork pays for all of them.
AT_ONCE = 10
Counts = list[list[Any]]


def _shape(rng: random.Random, most: int = 6) -> tuple[int, int]:
    return rng.randint(1, most), rng.randint(1, most)


def _small(rng: random.Random) -> Counts:
    rows, columns = _shape(rng)
    return [
        [rng.choice((0, rng.randint(0, 3), rng.randint(0, 30))) for _ in range(columns)]
        for _ in range(rows)
    ]


def _orders(most: int) -> Callable[[random.Random], Counts]:
    """Draw counts of every order of magnitude."""

    def draw(rng: random.Random) -> Counts:
        rows, columns = _shape(rng, 5)
        return [
            [
                rng.randint(0, 10 ** rng.randint(0, most)) * (rng.random() < 0.8)
                for _ in range(columns)
            ]
            for _ in range(rows)
        ]

    return draw


def _weights(low: float, high: float) -> Callable[[random.Random], Counts]:
    """Draw real weights, of every order of magnitude between two."""

    def draw(rng: random.Random) -> Counts:
        rows, columns = _shape(rng, 4)
        return [
            [10 ** rng.uniform(low, high) * (rng.random() < 0.8) for _ in range(columns)]
            for _ in range(rows)
        ]

    return draw


def _nearly_independent(rng: random.Random) -> Counts:
    most = 10 ** rng.randint(1, 12)
    rows, columns = ([rng.randint(1, most) for _ in range(rng.randint(2, 4))] for _ in range(2))
    table = [[a * b for b in columns] for a in rows]
    for _ in range(rng.randint(0, 3)):
        table[rng.randrange(len(rows))][rng.randrange(len(columns))] += rng.randint(1, 3)
    return table


def _nearly_identical(rng: random.Random) -> Counts:
    size, most = rng.randint(2, 6), 10 ** rng.randint(0, 15)
    table = [[rng.randint(1, most) * (row == col) for col in range(size)] for row in range(size)]
    for _ in range(rng.randint(0, 3)):
        table[rng.randrange(size)][rng.randrange(size)] += rng.randint(1, 2)
    return table


def _one_sided(rng: random.Random) -> Counts:
    line = [rng.randint(0, 10 ** rng.randint(0, 9)) for _ in range(rng.randint(1, 12))]
    return [line] if rng.random() < 0.5 else [[x] for x in line]


def _from_labels(rng: random.Random) -> Counts:
    rows, columns = _shape(rng, 7)
    table = [[0] * columns for _ in range(rows)]
    for _ in range(rng.randint(1, 25)):
        table[rng.randrange(rows)][rng.randrange(columns)] += 1
    return table


FORMS: tuple[Callable[[random.Random], Counts], ...] = (
    _small, _small, _from_labels, _from_labels, _orders(6), _orders(15), _orders(30),
    _weights(-2, 2), _weights(-9, 9), _nearly_independent, _nearly_identical, _one_sided,
)  # fmt: skip


def draw(rng: random.Random) -> Case:
    """Draw several tables, each with at least one object."""
    tables: list[Counts] = []
    while len(tables) < AT_ONCE:
        table = rng.choice(FORMS)(rng)
        if any(map(any, table)):
            tables.append(table)
    return Case("tables", {"tables": tables})


def check(tables: list[Counts]) -> dict[str, Any]:
    """Return what the package and the oracle see differently, in the child."""
    from agreement import EXTERNAL, disagreements

    lines = []
    for table in tables:
        try:
            found = disagreements(table)
        except Exception as error:
            found = [f"{type(error).__name__}: {error}"]
        lines += [f"{line} (table {json.dumps(table)})" for line in found]
    return {"lines": lines, "checks": len(tables) * len(EXTERNAL)}


def run(case: Case, room: Room) -> Verdict:
    """Compare every measure of every table with its exact value."""
    room.enter({})
    ran = room.run(Job(call="fuzz.tables:check", argument=case.recipe["tables"], seconds=300))
    if ran.code or ran.timed_out:
        return failed(f"tables: exit code {ran.code}", str(ran))
    answer = json.loads(ran.out)
    if answer["lines"]:
        return failed(answer["lines"][0], "\n".join(answer["lines"]))
    return right(answer["checks"])


def smaller(case: Case) -> Iterator[Case]:
    """Yield single tables, then tables with fewer lines and smaller counts."""
    tables = case.recipe["tables"]
    if len(tables) > 1:
        yield from (case.having(tables=[table]) for table in tables)
        return
    (table,) = tables
    for row in range(len(table)):
        yield from _possible(case, table[:row] + table[row + 1 :])
    for column in range(len(table[0])):
        yield from _possible(case, [line[:column] + line[column + 1 :] for line in table])
    for row, line in enumerate(table):
        for column, count in enumerate(line):
            for less in {0, count // 10 if isinstance(count, int) else 0, count // 2}:
                if less < count:
                    cells = [list(other) for other in table]
                    cells[row][column] = less
                    yield from _possible(case, cells)


def _possible(case: Case, table: Counts) -> Iterator[Case]:
    if table and any(map(any, table)):
        yield case.having(tables=[table])


KIND = Kind("tables", 14, draw, run, smaller)
