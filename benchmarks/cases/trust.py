"""Values that are hard to compute: products beyond 2^63, differences of nearly equal numbers."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from cases.single import beside
from compare import WRONG, plain, relative_error
from compare import digits as digits_right
from exact import ExactTable
from harness import Result, Row, Scale, race, size_of
from labels import moved, one_moved, unrelated
from peers import PEERS, our_call

PAIR_MEASURES = ("rand", "adjusted_rand", "fowlkes_mallows", "jaccard")


def large(scale: Scale) -> Iterator[Row]:
    """Two clusters: products of pair counts exceed 2^63 at 100,000 objects."""
    for full in (100_000, 10_000_000):
        n, clusters = scale(full), 2
        # Python sets of millions of objects take minutes and gigabytes.
        peers = [peer for peer in PEERS if peer.name != "clusim" or n <= 100_000]
        yield from beside(
            scale, peers, *moved(n, clusters), size=size_of(n, clusters), only=PAIR_MEASURES
        )


def digits(scale: Scale) -> Iterator[Row]:
    """Relative errors of clustervet and of every peer."""
    n, clusters = scale(1_000_000), 100
    cases = (
        ("unrelated labels", unrelated, "adjusted_rand"),
        ("unrelated labels", unrelated, "mutual_information"),
        ("unrelated labels", unrelated, "adjusted_mutual_information"),
        ("one object moved", one_moved, "variation_of_information"),
    )
    for name, make, measure in cases:
        truth, pred = make(n, clusters)
        exact = ExactTable(truth, pred)(measure)
        assert exact is not None
        contenders = [
            peer.contender(measure, peer.convert(truth), peer.convert(pred))
            for peer in PEERS
            if peer.name != "clusim" and peer.missing() is None and measure in peer.load()
        ]
        ours, results = race(scale, our_call(measure, truth, pred), contenders)
        for result in results:
            yield _row(ours, result, exact, f"{measure}, {name}", size_of(n, clusters))


def _row(ours: Result, peer: Result, exact: Decimal, what: str, size: str) -> Row:
    errors = [
        None if result.failure else relative_error(result.value, exact) for result in (ours, peer)
    ]
    # Near zero a large relative error may not matter, but an absolute error above WRONG does.
    wrong = [
        result.name
        for result in (ours, peer)
        if result.failure is None and abs(Decimal(float(result.value)) - exact) > WRONG
    ]
    words = [
        f"{result.name} "
        + ("is WRONG" if result.name in wrong else f"has {digits_right(error)} correct digits")
        for result, error in zip((ours, peer), errors, strict=True)
        if error is not None
    ]
    return Row(
        what=f"error of {what}",
        size=size,
        peer=peer.name,
        ours=errors[0],
        theirs=errors[1],
        unit="error",
        value_ours=plain(ours.value),
        value_peer=plain(peer.value),
        note=ours.failure or peer.failure or f"{', '.join(words)}; exact: {exact:.16e}",
        alarm=ours.failure is not None or bool(wrong),
    )
