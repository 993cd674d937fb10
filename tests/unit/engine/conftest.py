"""Tests of the engine run on the calling thread and on an event loop."""

import pytest

from conformance.core.kit import Way


@pytest.fixture(params=["sync", "async"])
def way(request):
    """How the graph is run."""
    return Way(request.param)
