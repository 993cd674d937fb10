"""A numbered case of the conformance suite runs by both sets of rules, unless it is marked for one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.agent_kit import RULES

BOTH = ("upstream", "fixed")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    function = metafunc.function
    if not function.__name__.startswith(("test_case_", "test_cases_")) or "compat" in metafunc.fixturenames:
        return
    only = [mode for mode in BOTH if metafunc.definition.get_closest_marker(mode)]
    metafunc.parametrize("by_rules", only or BOTH, indirect=True)


@pytest.fixture(autouse=True)
def by_rules(request: pytest.FixtureRequest) -> Iterator[str]:
    """The rules of this run of a case: all agents that name none follow them."""
    rules = getattr(request, "param", "upstream")
    token = RULES.set(rules)
    yield rules
    RULES.reset(token)
