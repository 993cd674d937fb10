"""Tracks: the row of each net's horizontal run inside a channel.

Sources: the left-edge idea of Hashimoto and Stevens (1971) for packing, doglegs after Deutsch (1976) where
two nets would each have to lie above the other.
"""

from __future__ import annotations

from collections import defaultdict

from hookstepper.picture.channels import Channel, Net

_TOUCH = 50
"""Cost of a run that passes through the corner of another, in crossings."""


class _Run:
    """One horizontal run: a whole net, or half of one that a dogleg splits."""

    __slots__ = ("above", "bottoms", "high", "low", "net", "place", "serial", "tops", "track", "upper")

    def __init__(self, serial: int, net: Net, tops: list[int], bottoms: list[int]) -> None:
        self.serial = serial
        self.net = net
        self.tops = tops
        self.bottoms = bottoms
        columns = tops + bottoms
        self.low, self.high = min(columns), max(columns)
        self.above: set[int] = set()
        """Serials of the runs that must lie above this one."""
        self.place = 0
        self.track = 0
        self.upper = False


def assign_tracks(channel: Channel, walls: set[int], section: int) -> int:
    """Choose the tracks of the nets of one section; returns how many tracks are in use.

    Args:
        walls: columns that no dogleg may take.
    """
    nets = [net for net in channel.nets.values() if net.low != net.high and net.section == section]
    if not nets:
        return 0
    runs = [_Run(i, net, list(net.tops.values()), list(net.bottoms.values())) for i, net in enumerate(nets)]
    _constrain(runs)
    _arrange(runs)
    taken = walls | {x for net in channel.nets.values() for x in net.columns()}
    sequence = _split_cycles(runs, taken)
    placed: list[_Run] = []
    for run in sequence:
        blocking = [other.track + 1 for other in placed if _clash(other, run)]
        run.track = max(blocking, default=0)
        placed.append(run)
    for run in sequence:
        if run.upper:
            run.net.first = run.track
        elif run.net.first is not None:
            run.net.second = run.track
        else:
            run.net.first = run.track
    return max(run.track for run in sequence) + 1


def _constrain(runs: list[_Run]) -> None:
    """A net that comes from above in a column lies above the net that leaves downwards in that column."""
    from_above: dict[int, int] = {}
    for run in runs:
        for x in run.tops:
            from_above[x] = run.serial
    for run in runs:
        for x in run.bottoms:
            other = from_above.get(x, run.serial)
            if other != run.serial:
                run.above.add(other)


def _arrange(runs: list[_Run]) -> None:
    """An order of the runs from top to bottom with few crossings: insertion until nothing improves."""
    order = sorted(runs, key=lambda run: (run.low + run.high, run.serial))
    better: dict[tuple[int, int], int] = {}
    for i, a in enumerate(runs):
        for b in runs[i + 1 :]:
            if a.high >= b.low - 1 and b.high >= a.low - 1:
                cost = _cost(a, b) - _cost(b, a)
                better[a.serial, b.serial], better[b.serial, a.serial] = cost, -cost
    for _ in range(min(len(runs), 8)):
        moved = False
        for run in list(order):
            here = order.index(run)
            best, goal = 0, here
            for step in (-1, 1):
                gain, at = 0, here + step
                while 0 <= at < len(order):
                    pair = (run.serial, order[at].serial) if step < 0 else (order[at].serial, run.serial)
                    gain += better.get(pair, 0)
                    if gain < best:
                        best, goal = gain, at
                    at += step
            if goal != here:
                order.pop(here)
                order.insert(goal, run)
                moved = True
        if not moved:
            break
    for place, run in enumerate(order):
        run.place = place


def _cost(upper: _Run, lower: _Run) -> int:
    """Crossings and touched corners if one run lies above the other."""
    total = 0
    for x in upper.bottoms:
        if lower.low < x < lower.high:
            total += 1
        elif x in (lower.low, lower.high) and x not in lower.bottoms:
            total += _TOUCH
    for x in lower.tops:
        if upper.low < x < upper.high:
            total += 1
        elif x in (upper.low, upper.high) and x not in upper.tops:
            total += _TOUCH
    return total


def _split_cycles(runs: list[_Run], taken: set[int]) -> list[_Run]:
    """The runs from top to bottom as the constraints ask; a run in a cycle is split by a dogleg."""
    waiting = sorted(runs, key=lambda run: run.place)
    done: set[int] = set()
    sequence: list[_Run] = []
    serial = len(runs)
    while waiting:
        ready = next((run for run in waiting if run.above <= done), None)
        if ready is not None:
            waiting.remove(ready)
            done.add(ready.serial)
            sequence.append(ready)
            continue
        blocking: dict[int, int] = defaultdict(int)
        for run in waiting:
            for other in run.above - done:
                blocking[other] += 1
        victim = next(run for run in waiting if run.serial in blocking and run.tops and run.bottoms)
        column = _free_column(victim, taken)
        taken.add(column)
        upper = _Run(victim.serial, victim.net, victim.tops, [column])
        lower = _Run(serial, victim.net, [column], victim.bottoms)
        serial += 1
        upper.upper = True
        lower.above = (victim.above - done) | {victim.serial}
        lower.place = victim.place
        victim.net.drop = column
        waiting[waiting.index(victim)] = lower
        done.add(upper.serial)
        sequence.append(upper)
    return sequence


def _free_column(run: _Run, taken: set[int]) -> int:
    """The free column nearest to the middle of a run."""
    middle = (run.low + run.high) // 2
    reach = 0
    while True:
        for column in (middle - reach, middle + reach):
            if column >= 1 and column not in taken:
                return column
        reach += 1


def _clash(upper: _Run, lower: _Run) -> bool:
    """True if two runs may not lie on one track; two that meet on top of a shared port may."""
    if upper.high < lower.low - 1 or lower.high < upper.low - 1:
        return False
    if upper.net is lower.net:
        return True
    for a, b in ((upper, lower), (lower, upper)):
        if a.high == b.low and a.high in a.bottoms and a.high in b.bottoms:
            return False
    return True
