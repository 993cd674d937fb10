"""A host in the process of the caller: for `hookstepper.debug(agent)` in a script of one's own."""

from __future__ import annotations

import socket
import threading
from collections.abc import Mapping

from hookstepper.adapters import all_adapters
from hookstepper.adapters.loader import Loaded, given
from hookstepper.host.capture import captured
from hookstepper.host.control import Control
from hookstepper.host.host import Host
from hookstepper.host.outbox import Outbox
from hookstepper.ports.target import Outcome
from hookstepper.wire.connection import Connection


def found(obj: object) -> Loaded:
    """An object of this program, ready to be served.

    Raises:
        LoadError: no adapter knows what it is.
    """
    return given(obj, all_adapters())


def serve_here(obj: Loaded, ours: socket.socket) -> tuple[Outcome | None, Mapping[str, object] | None]:
    """Serve one conversation about `obj` on the calling thread until the other end leaves.

    Returns:
        How the last run came to rest, and the state that it left; None for both if nothing ran.
    """
    connection = Connection(ours)
    outbox = Outbox(connection)
    host = Host(outbox, obj)
    control = Control(connection, host)
    threading.Thread(target=control.run, name="hookstepper-control", daemon=True).start()
    try:
        with captured(outbox):
            host.serve()
            return host.last_outcome, host.last_state()
    finally:
        connection.close()
