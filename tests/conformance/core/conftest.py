"""Every core case runs twice: on the calling thread, and on an event loop."""

import pytest

from conformance.core.kit import Way


@pytest.fixture(params=["sync", "async"])
def way(request):
    """How the case is run."""
    return Way(request.param)
