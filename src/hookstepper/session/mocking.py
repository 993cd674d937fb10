"""Calls that are answered here instead of being made: by a person's mocks, or from the record of a fork."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

from hookstepper.model.errors import ConditionError
from hookstepper.model.gates import Site
from hookstepper.model.ids import Json
from hookstepper.model.mocks import Mock
from hookstepper.ports.verdict import Fail, Fulfil, Point, Verdict
from hookstepper.values.conditions import compile_condition
from hookstepper.values.tags import TAG

Names = Callable[[], Mapping[str, Json]]


@dataclass(frozen=True, slots=True)
class Typed:
    """A JSON value that the host turns into the target's own type before a task gets it."""

    json: Json


class MockedError(Exception):
    """What a mocked call raises if a person said that it fails."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One call of the record: where it was made, with what, and what came back."""

    site: Site
    request: Json
    """Encoded and cut as at the gate; equal requests are equal here, but for the ids of messages."""
    response: object
    """The live object that the call gave."""
    superstep: int = 0
    """Calls of one superstep come in any order."""


def _without_ids(request: Json) -> Json:
    """A request without the ids of its messages: frameworks make them up anew each time."""
    if isinstance(request, list):
        return [_without_ids(item) for item in request]
    if isinstance(request, dict):
        is_message = request.get(TAG) == "msg"
        return {key: _without_ids(one) for key, one in request.items() if not (is_message and key == "id")}
    return request


class Mocks:
    """A person's answers; the set is replaced as a whole."""

    def __init__(self, mocks: tuple[Mock, ...] = ()) -> None:
        self.all = mocks
        self.spent: set[int] = set()
        """Those that were to answer once, and have."""
        self.problems: dict[int, str] = {}
        self.news = False
        """True if one was spent or began to fail, until the owner has told so."""

    def replaced(self, mocks: tuple[Mock, ...]) -> Mocks:
        """A set with these mocks; those that stay as they are stay spent."""
        new = Mocks(mocks)
        new.spent = self.spent & {mock.id for mock in mocks if mock in self.all}
        return new

    def concern(self, site: Site) -> bool:
        """True if a mock may answer a call at this place."""
        return bool(self.all) and any(self._fits(mock, site) for mock in self.all)

    def verdict(self, point: Point, names: Names) -> Verdict | None:
        """The verdict that answers this call, None if no mock does."""
        if point.phase != "enter":
            return None
        for mock in self.all:
            if not self._fits(mock, point.site) or not self._holds(mock, names):
                continue
            if "fulfil" not in point.acts:
                self._fails(mock, f"this engine cannot answer a {mock.kind} call here")
                continue
            if not mock.always:
                self.spent.add(mock.id)
                self.news = True
            return Fail(MockedError(mock.error)) if mock.error else Fulfil(Typed(mock.answer))
        return None

    def _fits(self, mock: Mock, site: Site) -> bool:
        if mock.id in self.spent or mock.kind != site.kind:
            return False
        return mock.name == site.name or fnmatchcase(site.name, mock.name)

    def _holds(self, mock: Mock, names: Names) -> bool:
        if not mock.condition:
            return True
        try:
            return bool(compile_condition(mock.condition)(names()))
        except ConditionError as error:
            self._fails(mock, error.message)
            return False

    def _fails(self, mock: Mock, why: str) -> None:
        self.news |= self.problems.get(mock.id) != why
        self.problems[mock.id] = why


class Replay:
    """Answers of the record, for a fork that is to run as the record did until something differs."""

    def __init__(self, calls: Iterable[Recorded] = ()) -> None:
        self._left: dict[Site, deque[Recorded]] = {}
        for call in calls:
            self._left.setdefault(call.site, deque()).append(call)

    def concerns(self, site: Site) -> bool:
        """True if the record has an answer left for this place."""
        return bool(self._left.get(site))

    def next(self, site: Site) -> Recorded | None:
        """The answer that the record has next for this place; it stays."""
        left = self._left.get(site)
        return left[0] if left else None

    def take(self, site: Site, request: Json) -> Recorded | None:
        """The answer to an equal request that the record has next for this place, used up; else None.

        Of calls that ran side by side, any is next.
        """
        left, asked = self._left.get(site), _without_ids(request)
        for place, call in enumerate(left or ()):
            if left is None or call.superstep != left[0].superstep:
                break
            if _without_ids(call.request) == asked:
                del left[place]
                return call
        return None

    def use(self, site: Site) -> Recorded | None:
        """What `next` gives, used up."""
        left = self._left.get(site)
        return left.popleft() if left else None

    def end(self) -> None:
        """Something differed and a call was made for real: the rest of the record no longer fits."""
        self._left.clear()
