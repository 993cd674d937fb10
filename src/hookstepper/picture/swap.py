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
            # Most items have one link on a side: those are compared here, without a call.
            if len(up_a) == 1 == len(up_b):
                saved = (up_a[0] > up_b[0]) - (up_a[0] < up_b[0])
            else:
                saved = excess(up_a, up_b)
            if len(down_a) == 1 == len(down_b):
                saved += (down_a[0] > down_b[0]) - (down_a[0] < down_b[0])
            else:
                saved += excess(down_a, down_b)
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
    sideways = any(state.flat[serial] for serial in layer)
    crossed = set(layer) if sideways else _crossed(layer, ups) | _crossed(layer, downs)
    for serial in list(layer):
        # What crosses nothing cannot be moved to where it crosses less.
        if serial in crossed and state.free[serial] and (only is None or serial in only):
            moved = _sift_one(state, rank, serial, ups, downs)
            if moved and not sideways:
                crossed = _crossed(layer, ups) | _crossed(layer, downs)


def _crossed(layer: list[int], spots: dict[int, list[int]]) -> set[int]:
    """Items of a rank of which a link crosses one of another item, on that side of the rank."""
    found: set[int] = set()
    furthest = -1
    for serial in layer:
        mine = spots[serial]
        if mine:
            if mine[0] < furthest:
                found.add(serial)
            furthest = max(furthest, mine[-1])
    nearest = 10**9
    for serial in reversed(layer):
        mine = spots[serial]
        if mine:
            if mine[-1] > nearest:
                found.add(serial)
            nearest = min(nearest, mine[0])
    return found


def _sift_one(
    state: Arrangement, rank: int, serial: int, ups: dict[int, list[int]], downs: dict[int, list[int]]
) -> bool:
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
    return goal != here
