"""A run that goes on and on is held after so many steps, as many as a person says."""

import pytest

from hookstepper.model.commands import SetGuard, parse_line
from hookstepper.model.errors import UsageError
from hookstepper.model.gates import Site
from hookstepper.model.ids import NodeId
from hookstepper.session.holding import Holding

NODE = Site("node", NodeId("a"))


def held_at(holding, most=30):
    return [n for n in range(most) if holding.wants(NODE, "enter", n)]


def test_the_guard_holds_from_the_next_multiple_on():
    holding = Holding(1_000)
    holding.guard(10, 12)

    assert held_at(holding)[0] == 20


def test_zero_never_holds():
    holding = Holding(5)
    holding.guard(0, 3)

    assert held_at(holding) == []


def test_the_command_takes_a_number_of_steps():
    assert parse_line("guard 50") == SetGuard(50)
    for wrong in ("guard", "guard -1", "guard many"):
        with pytest.raises(UsageError):
            parse_line(wrong)
