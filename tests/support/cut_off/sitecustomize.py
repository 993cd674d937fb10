"""Put on PYTHONPATH: this process and each that it starts has no network, and every try is written down.

An audit hook cannot be taken off again and sees every socket that Python code opens, also one that a
library opens. Sockets of the machine itself (`AF_UNIX`) carry the debugger's own talk and stay.
"""

import os
import socket
import sys

_SEEN = os.environ["CUT_OFF_LOG"]
_LOCAL = {socket.AF_UNIX}
_ASKS = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}
_NAMES = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr", "urllib.Request"}


def _write(line: str) -> None:
    with open(_SEEN, "a", encoding="utf-8") as log:
        log.write(f"{line}\n")


def _reaches_out(event: str, args: tuple[object, ...]) -> bool:
    if event in _NAMES:
        return True
    if event not in _ASKS or getattr(args[0], "family", None) in _LOCAL:
        return False
    # HTTP libraries bind to ::1 for a moment, to see whether the machine knows IPv6.
    return not (event == "socket.bind" and str(args[1]).startswith(("('::1'", "('127.0.0.1'")))


def _no_network(event: str, args: tuple[object, ...]) -> None:
    if _reaches_out(event, args):
        _write(f"tried {event} {args[1:] if event in _ASKS else args}")
        raise OSError("there is no network here")


sys.addaudithook(_no_network)
_write(f"began {os.getpid()}")
