"""The one tree of errors."""

from __future__ import annotations

import pytest

from hookstepper.model import errors
from hookstepper.model.errors import ERRORS, HookstepperError

KINDS = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, HookstepperError)
]


def test_every_kind_is_found_by_its_code() -> None:
    """An error keeps its class across the wire; a kind that is left out comes back as another."""
    assert set(ERRORS.values()) == set(KINDS)
    assert all(ERRORS[kind.code] is kind for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_kind_is_made_from_a_message_and_a_hint(kind: type[HookstepperError]) -> None:
    """So it can be made again on the other side."""
    error = kind("what and where", hint="what to try")

    assert (str(error), error.message, error.hint) == ("what and where", "what and where", "what to try")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_the_tree_in_the_docstring_names_every_kind(kind: type[HookstepperError]) -> None:
    """The drawing is what a reader sees first."""
    assert errors.__doc__ is not None
    assert kind.__name__ in errors.__doc__
