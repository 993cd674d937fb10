"""A state that is encoded again after every step, at the cost of what changed.

Lists at the top of the state are kept with what their items were encoded to, by identity: reducers keep
the messages they do not touch. Identity is blind to a change inside an item, so items that are
no messages are encoded afresh while their list is short, and `rehash` finds the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import is_

from hookstepper.model.ids import Json
from hookstepper.model.record import Delta
from hookstepper.values import shells
from hookstepper.values.delta import diff, same
from hookstepper.values.encoding import Encoder
from hookstepper.values.limits import RECORDED, Limits, ObjectCodec

SHORT = 64
"""Up to this length the items of a list are encoded afresh in every step, unless a codec claims them."""


@dataclass(frozen=True, slots=True)
class _Seen:
    items: list[object]
    encoded: list[Json]
    weight: int
    """What the list took from the total of the limits."""


class StateEncoder:
    """Encodes one state over and over; belongs to the thread that runs the target.

    Holds references to the list items that it has encoded, so that an identity is not given away twice.
    """

    def __init__(self, codec: ObjectCodec | None = None, limits: Limits = RECORDED) -> None:
        self._encoder = Encoder(codec, limits)
        self._seen: dict[str, _Seen] = {}
        self.state: dict[str, Json] = {}
        """What `encode` returned last; never changed in place."""

    def encode(self, state: Mapping[str, object]) -> dict[str, Json]:
        """The encoded state; shares every unchanged part with the one before."""
        return self._pass(state, self._seen)

    def step(self, state: Mapping[str, object]) -> Delta:
        """The changes since the last call, found and encoded in time proportional to them."""
        old = self.state
        return diff(old, self.encode(state))

    def rehash(self, state: Mapping[str, object]) -> Delta:
        """Encode everything afresh: the changes that identity had hidden, made in place by the program."""
        before = self.encode(state)
        return diff(before, self._pass(state, {}))

    def _pass(self, state: Mapping[str, object], seen: dict[str, _Seen]) -> dict[str, Json]:
        encoder = self._encoder
        encoder.left = encoder.limits.total
        try:
            pairs = list(state.items())
        except Exception as error:
            self.state = {"?": shells.unreadable(state, error)}
            return self.state
        if not shells.plain_keys(pairs):
            pairs = [(str(encoder.part(key, 1)), value) for key, value in pairs]
        now: dict[str, _Seen] = {}
        out: dict[str, Json] = {}
        for key, value in pairs:
            if type(value) is list and len(value) <= encoder.limits.items:
                out[key] = self._list(key, value, seen.get(key), now)
            else:
                out[key] = self._shared(encoder.part(value, 1), self.state.get(key))
        self._seen = now
        self.state = out
        return out

    def _list(self, key: str, live: list[object], seen: _Seen | None, now: dict[str, _Seen]) -> Json:
        encoder = self._encoder
        items = live.copy()
        before = encoder.left
        if seen is None:
            known: list[Json] = []
        else:
            kept = _common(seen.items, items)
            encoder.left -= seen.weight * kept // max(len(seen.items), 1)
            known = self._kept(seen, items, kept)
        by_id: dict[int, Json] = {}
        if seen is not None and len(items) - len(known) > 1:
            by_id = {id(item): form for item, form in zip(seen.items, seen.encoded, strict=True)}
        old = self.state.get(key)
        olds = old if type(old) is list else []
        for index in range(len(known), len(items)):
            item = items[index]
            if id(item) in by_id and self._trusted(item, len(items)):
                known.append(by_id[id(item)])
            else:
                form = encoder.part(item, 2)
                known.append(self._shared(form, olds[index] if index < len(olds) else None))
        encoder.left -= 8 * (len(items) - (0 if seen is None else len(seen.items)))
        if encoder.left <= 0:  # too much in all: what does not fit is cut, and nothing is remembered
            encoder.left = before
            return encoder.part(live, 1)
        now[key] = _Seen(items, known, before - encoder.left)
        return known

    def _kept(self, seen: _Seen, items: list[object], kept: int) -> list[Json]:
        """The forms of the first `kept` items; those that may have changed inside are encoded afresh."""
        if len(items) > SHORT:
            return seen.encoded[:kept]
        return [
            form if self._trusted(item, 0) else self._shared(self._encoder.part(item, 2), form)
            for item, form in zip(seen.items[:kept], seen.encoded, strict=False)
        ]

    def _trusted(self, item: object, length: int) -> bool:
        kind = type(item)
        return length > SHORT or kind is str or self._encoder.claims(kind)

    @staticmethod
    def _shared(new: Json, old: Json) -> Json:
        return old if type(new) is type(old) and same(new, old) else new


def _common(old: list[object], new: list[object]) -> int:
    """How many items at the beginning are identical."""
    flags = list(map(is_, old, new))
    try:
        return flags.index(False)
    except ValueError:
        return len(flags)
