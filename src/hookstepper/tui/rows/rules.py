"""The rules of a router with the numbers that people call them by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hookstepper.model.record import RuleSeen


@dataclass(frozen=True, slots=True)
class Numbered:
    """A rule with its number; two halves of one rule share it."""

    number: int
    first: bool
    seen: RuleSeen


_HALVES = {"no_tool_calls": "tool_calls", "partly_answered": "answered"}
"""Rules that are the other half of the rule before them."""


def numbered(rules: Sequence[RuleSeen]) -> list[Numbered]:
    """The rules with numbers from 1; the second half of a rule keeps the number of the first."""
    found: list[Numbered] = []
    for seen in rules:
        half = bool(found) and _HALVES.get(seen.rule) == found[-1].seen.rule
        found.append(
            Numbered(found[-1].number if half else (found[-1].number + 1 if found else 1), not half, seen)
        )
    return found
