"""The line to a host that was not started here: an inherited or connected socket."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

from hookstepper.client.link import GRACE, Hung, Item, Spoke
from hookstepper.client.options import TargetOptions
from hookstepper.model.errors import WireError
from hookstepper.model.ids import Json
from hookstepper.model.version import VERSION
from hookstepper.wire.connection import PROTOCOL, Connection


class SocketLink:
    """One conversation on a socket; its end ends the conversation and not the program."""

    can_restart = False

    def __init__(
        self, sock: socket.socket, number: int, options: TargetOptions, deliver: Callable[[Item], None]
    ) -> None:
        self.number = number
        self._connection = Connection(sock)
        self._deliver = deliver
        threading.Thread(target=self._read, name="hookstepper-reader", daemon=True).start()
        self.request("hello", {"protocol": list(PROTOCOL), "client": VERSION})
        self.request("open", {"target": options.target, "folder": str(options.folder)})

    def request(self, method: str, params: Json = None) -> int | None:
        """Send a request; its number, or None if the host is gone."""
        with contextlib.suppress(WireError):
            return self._connection.request(method, params)
        return None

    def end_soon(self, grace: float = GRACE) -> None:  # noqa: ARG002
        """Leave the conversation; the program goes on without us."""
        self._connection.close()

    def wait(self) -> None:
        """The program is not ours to wait for."""

    def kill(self) -> None:
        """Not ours to kill: leave."""
        self._connection.close()

    def _read(self) -> None:
        how = "closed the wire"
        try:
            while (message := self._connection.receive()) is not None:
                self._deliver(Spoke(self.number, message))
        except WireError as error:
            how = error.message
        self._deliver(Hung(self.number, how))
