"""Where a program listens: the word that names it, and the file that tells who listens there and the token.

    unix:/run/user/1000/hookstepper/4711.sock      a Unix socket, mode 0600 in a folder of mode 0700
    tcp:127.0.0.1:40123                            loopback only

Beside each stands one file NAME.json, mode 0600, removed when the program ends: whoever can read it is the
same user on the same machine, and needs no token typed.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from hookstepper.model.errors import NotPossibleError, UsageError
from hookstepper.model.ids import Json

LOOPBACK = ("127.0.0.1", "::1", "localhost")
LONGEST = 100
"""Bytes of a socket's path; systems allow 104 or 108."""
BACKLOG = 128
"""Connections that may wait to be accepted."""
TOKEN = "HOOKSTEPPER_TOKEN"
"""Environment variable with the token, where the file cannot be read."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A place to listen at or to attach to: the path of a Unix socket, or host and port."""

    path: str = ""
    host: str = ""
    port: int = 0

    def __str__(self) -> str:
        if self.path:
            return f"unix:{self.path}"
        return f"tcp:[{self.host}]:{self.port}" if ":" in self.host else f"tcp:{self.host}:{self.port}"


def parse_endpoint(text: str) -> Endpoint:
    """`unix:PATH`, a path, `tcp:HOST:PORT`, `HOST:PORT` or `:PORT`.

    Raises:
        UsageError: it is none of these, or not on this machine.
    """
    if text.startswith("unix:") or "/" in text:
        return Endpoint(path=str(Path(text.removeprefix("unix:")).absolute()))
    host, colon, port = text.removeprefix("tcp:").rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65_535:
        raise UsageError(f"{text!r} is no endpoint", hint="unix:PATH, or tcp:127.0.0.1:PORT")
    host = host.strip("[]") or LOOPBACK[0]
    if host not in LOOPBACK:
        raise UsageError(f"{host} is not this machine", hint="only 127.0.0.1, ::1 or a Unix socket")
    return Endpoint(host=LOOPBACK[0] if host == "localhost" else host, port=int(port))


def runtime_folder(environment: Mapping[str, str]) -> Path:
    """The folder of this user's endpoints, mode 0700; made if it is not there.

    Raises:
        NotPossibleError: somebody else could write there.
    """
    own = environment.get("XDG_RUNTIME_DIR")
    user = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(own) / "hookstepper" if own else Path(tempfile.gettempdir()) / f"hookstepper-{user}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    is_private = not stat.S_IMODE(found.st_mode) & 0o077 and stat.S_ISDIR(found.st_mode)
    if hasattr(os, "getuid") and (found.st_uid != user or not is_private):
        raise NotPossibleError(
            f"{folder} is not private to this user", hint="it has to be a folder of yours with mode 0700"
        )
    return folder


def listen_at(endpoint: Endpoint) -> tuple[socket.socket, Endpoint]:
    """A socket that listens there, and the endpoint with its port filled in.

    Raises:
        NotPossibleError: it cannot; the message says why.
    """
    try:
        if not endpoint.path:
            family = socket.AF_INET6 if ":" in endpoint.host else socket.AF_INET
            sock = socket.create_server((endpoint.host, endpoint.port), family=family, backlog=BACKLOG)
            return sock, Endpoint(host=endpoint.host, port=sock.getsockname()[1])
        if len(os.fsencode(endpoint.path)) > LONGEST:
            raise NotPossibleError(
                f"{endpoint.path} is too long for a socket", hint="listen on tcp:127.0.0.1:0"
            )
        _clear_away(Path(endpoint.path))
        sock = socket.socket(socket.AF_UNIX)
        # The mode has to be right from the first moment on.
        before = os.umask(0o177)
        try:
            sock.bind(endpoint.path)
        finally:
            os.umask(before)
        sock.listen(BACKLOG)
    except OSError as error:
        raise NotPossibleError(f"cannot listen at {endpoint}: {error.strerror or error}") from None
    return sock, endpoint


def _clear_away(path: Path) -> None:
    """Take away the socket of a program that was killed: nobody answers there any more."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            return
        with socket.socket(socket.AF_UNIX) as probe:
            probe.settimeout(1)
            probe.connect(str(path))
    except ConnectionRefusedError:
        path.unlink(missing_ok=True)
    except OSError:
        return


def connect_to(endpoint: Endpoint) -> socket.socket:
    """A socket that is connected to whoever listens there.

    Raises:
        NotPossibleError: nobody does.
    """
    try:
        if not endpoint.path:
            return socket.create_connection((endpoint.host, endpoint.port), timeout=5)
        sock = socket.socket(socket.AF_UNIX)
        sock.settimeout(5)
        sock.connect(endpoint.path)
    except OSError as error:
        raise NotPossibleError(
            f"nobody listens at {endpoint}: {error.strerror or error}",
            hint="the program calls hookstepper.listen(agent) and prints where",
        ) from None
    return sock


@dataclass(frozen=True, slots=True)
class Advert:
    """What the file of a listening program says."""

    endpoint: str
    pid: int
    token: str
    name: str = ""
    """What the watched object calls itself."""


def advert_path(endpoint: Endpoint, environment: Mapping[str, str]) -> Path:
    """The file of an endpoint."""
    if endpoint.path:
        return Path(f"{endpoint.path}.json")
    return runtime_folder(environment) / f"tcp-{endpoint.host.replace(':', '_')}-{endpoint.port}.json"


def write_advert(path: Path, advert: Advert) -> None:
    """Write the file, readable by this user alone."""
    told = {
        "endpoint": advert.endpoint,
        "pid": advert.pid,
        "token": advert.token,
        "name": advert.name,
    }
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(told, file)


def read_advert(path: Path) -> Advert | None:
    """What a file says; None if there is none that makes sense."""
    try:
        data = cast(Json, json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or not isinstance(data.get("pid"), int):
        return None
    return Advert(
        str(data.get("endpoint", "")),
        cast(int, data["pid"]),
        str(data.get("token", "")),
        str(data.get("name", "")),
    )
