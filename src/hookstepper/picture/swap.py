"""Swapping neighbours and moving single items, as long as that saves crossings.

Sources: transpose after Gansner, Koutsofios, North, Vo (1993), ties included; sifting after Matuszewski,
Schönfeld, Molitor (1999).
"""

from __future__ import annotations

from collections.abc import Container

from hookstepper.picture.arrangement import Arrangement, excess


def transpose(state: Arrangement, rounds: int, with_ties: bool) -> None:
    """Swap neighbours while that saves crossings; with ties, also those whose swap costs nothing."""
    calm = state.calm
    key = "swap with ties" if with_ties else "swap"
    for _ in range(rounds):
        again = False
        for rank in range(len(state.layers)):
            around = state.around(rank, rank)
            if calm.get((key, rank)) != around:
                again = _transpose_rank(state, rank, with_ties) or again
                calm[key, rank] = around
        if not again:
            break


def _transpose_rank(state: Arrangement, rank: int, with_ties: bool) -> bool:
    layer = state.layers[rank]
    if len(layer) < 2 or state.is_clear(rank):
        return False
    spot, place, free, frame, flat = state.spot, state.place, state.free, state.frame, state.flat
    ups, downs = state.spots_of_neighbours(rank)
    improved = swapped = False
    a, up_a, down_a = layer[0], ups[0], downs[0]
    for at in range(1, len(layer)):
        b, up_b, down_b = layer[at], ups[at], downs[at]
        crossed = (up_a and up_b and up_a[-1] > up_b[0]) or (down_a and down_b and down_a[-1] > down_b[0])
        beside = flat[a] or flat[b]
        if (crossed or beside) and free[a] and free[b] and frame[a] == frame[b]:
            saved = excess(up_a, up_b) + excess(down_a, down_b)
            if beside:
                saved += state.flat_gain(a, b)
            if saved > 0 or (with_ties and crossed and saved == 0):
                layer[at - 1], layer[at] = b, a
                spot[a], spot[b] = at, at - 1
                place[a], place[b] = place[b], place[a]
                swapped = True
                improved = improved or saved > 0
                continue
        a, up_a, down_a = b, up_b, down_b
    if swapped:
        state.touch(rank)
    return improved


def sift(state: Arrangement, rank: int, only: Container[int] | None = None) -> None:
    """Move every item of a rank, or only some, to the place where it crosses least."""
    layer = state.layers[rank]
    if len(layer) < 3 or state.is_clear(rank):
        return
    above, below = state.spots_of_neighbours(rank)
    ups, downs = dict(zip(layer, above, strict=True)), dict(zip(layer, below, strict=True))
    for serial in list(layer):
        if state.free[serial] and (only is None or serial in only):
            _sift_one(state, rank, serial, ups, downs)


def _sift_one(
    state: Arrangement, rank: int, serial: int, ups: dict[int, list[int]], downs: dict[int, list[int]]
) -> None:
    layer, spot, flat = state.layers[rank], state.spot, state.flat
    frame, free = state.frame, state.free
    mine_up, mine_down = ups[serial], downs[serial]
    here = spot[serial]
    best, goal = 0, here
    for step in (-1, 1):
        total, at = 0, here + step
        while 0 <= at < len(layer) and free[layer[at]] and frame[layer[at]] == frame[serial]:
            other = layer[at]
            if step < 0:
                total += excess(ups[other], mine_up) + excess(downs[other], mine_down)
            else:
                total += excess(mine_up, ups[other]) + excess(mine_down, downs[other])
            if flat[serial] or flat[other]:
                # The moving item is compared from beside the other one: its own spot must say so.
                spot[serial] = at - step
                total += state.flat_gain(other, serial) if step < 0 else state.flat_gain(serial, other)
            if total > best:
                best, goal = total, at
            at += step
        spot[serial] = here
    if goal != here:
        layer.pop(here)
        layer.insert(goal, serial)
        state.number(rank)
