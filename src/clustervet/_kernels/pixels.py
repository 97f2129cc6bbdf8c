"""Pixels of two label images, whose neighbours are mostly alike."""

from __future__ import annotations

import numpy as np

from clustervet._kernels.compile import compiled

# Pixels that are compared at once.
WIDE = 8


@compiled
def count_pixels(truth, pred, first, last, length, patience):
    """Count the pixels first..last by both labels: the pairs of labels, and how many have each.

    Runs of equal pixels are looked up at once. If runs are shorter than `length` on average,
    beyond the first `patience` pixels, it stops and returns empty arrays.
    """
    bits = np.uint64(10)
    slots = np.full(1 << bits, -1, np.int32)
    pairs = np.empty((1 << (bits - 1), 2), np.int64)
    counts = np.zeros(1 << (bits - 1), np.int64)
    found, runs, i = 0, 0, first
    while i < last:
        one, other, start = truth[i], pred[i], i
        i = _run_end(truth, pred, one, other, i + 1, last)
        runs += 1
        if runs * length > i - first + patience:
            return pairs[:0], counts[:0]
        a, b = np.int64(one), np.int64(other)
        slot = _slot(slots, pairs, a, b, bits)
        place = slots[slot]
        if place < 0:
            place = found
            slots[slot] = place
            pairs[place, 0], pairs[place, 1] = a, b
            counts[place] = 0
            found += 1
        counts[place] += i - start
        if found == len(counts):
            bits += np.uint64(2)
            slots = np.full(1 << bits, -1, np.int32)
            more = np.empty((4 * found, 2), np.int64)
            more[:found] = pairs
            pairs = more
            counts = np.concatenate((counts, np.zeros(3 * found, np.int64)))
            for k in range(found):
                slots[_slot(slots, pairs, pairs[k, 0], pairs[k, 1], bits)] = k
    return pairs[:found].copy(), counts[:found].copy()


@compiled
def _run_end(truth, pred, one, other, i, last):
    """Where pixels end to be the same; many are compared at once, by vector instructions."""
    at, end, step = np.uint64(i), np.uint64(last), np.uint64(WIDE)
    while at + step <= end:
        differ = (truth[at] ^ one) | (pred[at] ^ other)
        for k in range(WIDE):
            here = at + np.uint64(k)
            differ |= (truth[here] ^ one) | (pred[here] ^ other)
        if differ:
            break
        at += step
    while at < end and truth[at] == one and pred[at] == other:
        at += np.uint64(1)
    return np.int64(at)


@compiled
def _slot(slots, pairs, a, b, bits):
    """The slot of a pair of labels, or where it would go; at most half of the slots are used."""
    mixed = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(b) * np.uint64(
        0xC2B2AE3D27D4EB4F
    )
    slot = (mixed * np.uint64(0x9E3779B97F4A7C15)) >> (np.uint64(64) - bits)
    last = np.uint64(len(slots) - 1)
    while slots[slot] >= 0:
        place = slots[slot]
        if pairs[place, 0] == a and pairs[place, 1] == b:
            break
        slot = (slot + np.uint64(1)) & last
    return slot
