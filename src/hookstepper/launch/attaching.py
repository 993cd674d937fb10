"""Coming to a program that listens: which one is meant, and the first words at its door."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from hookstepper.model.commands import Pause
from hookstepper.model.errors import NotPossibleError, UsageError, WireError
from hookstepper.model.jsonform import to_json
from hookstepper.model.version import VERSION
from hookstepper.wire.connection import PROTOCOL, Connection, Reply
from hookstepper.wire.endpoints import (
    TOKEN,
    Advert,
    advert_path,
    connect_to,
    parse_endpoint,
    read_advert,
    runtime_folder,
)

PATIENCE_S = 5.0
"""Seconds that a program has to answer at its door."""
ANSWER = 64 * 1024
"""Bytes that its answer may have."""


@dataclass(frozen=True, slots=True)
class Attached:
    """A conversation that is about to begin."""

    sock: socket.socket
    advert: Advert


def listening(environment: Mapping[str, str]) -> tuple[Advert, ...]:
    """The programs of this user that listen and are alive, by process id."""
    found = []
    for path in sorted(runtime_folder(environment).glob("*.json")):
        advert = read_advert(path)
        if advert is not None and _alive(advert.pid):
            found.append(advert)
        elif advert is not None:
            # Its program was killed and could not take it away.
            path.unlink(missing_ok=True)
            path.with_suffix("").unlink(missing_ok=True)
    return tuple(sorted(found, key=lambda advert: advert.pid))


def meant(text: str, environment: Mapping[str, str]) -> Advert:
    """The program that a word means: an endpoint, a process id, or nothing if only one listens.

    Raises:
        UsageError: it means none, or several; the message lists them.
    """
    if text and not text.isdecimal():
        place = parse_endpoint(text)
        found = read_advert(advert_path(place, environment))
        return found or Advert(str(place), 0, environment.get(TOKEN, ""))
    known = listening(environment)
    if text:
        known = tuple(advert for advert in known if advert.pid == int(text))
    if len(known) == 1:
        return known[0]
    if known:
        told = ", ".join(f"{advert.endpoint} ({advert.name})" for advert in known)
        raise UsageError("several programs listen", hint=f"attach to one: {told}")
    what = f"process {text} does not listen" if text else "no program of yours listens here"
    raise UsageError(what, hint="a program listens once it has called hookstepper.listen(agent)")


def attach(text: str, environment: Mapping[str, str], *, hold: bool = False) -> Attached:
    """Connect to a program and be let in.

    Args:
        hold: True: hold the run that goes on at its next node, or else the next run at its first.

    Raises:
        UsageError: the word means no program, or several.
        NotPossibleError: nobody listens there, the token was not taken, or another debugger is attached.
    """
    advert = meant(text, environment)
    if not advert.token:
        raise UsageError(
            f"there is no token for {advert.endpoint}",
            hint=f"it stands in a file beside the socket; elsewhere {TOKEN} gives it",
        )
    sock = connect_to(parse_endpoint(advert.endpoint))
    sock.settimeout(PATIENCE_S)
    try:
        connection = Connection(sock)
        _greet(connection, advert)
        if hold:
            connection.request("command", to_json(Pause()))
            # What is held already need not be: a refusal is as good.
            connection.receive(ANSWER)
    except BaseException:
        sock.close()
        raise
    sock.settimeout(None)
    return Attached(sock, advert)


def _greet(connection: Connection, advert: Advert) -> None:
    connection.request("hello", {"protocol": list(PROTOCOL), "client": VERSION, "token": advert.token})
    try:
        answer = connection.receive(ANSWER)
    except WireError as error:
        raise NotPossibleError(f"{advert.endpoint} is no hookstepper: {error.message}") from None
    if not isinstance(answer, Reply):
        raise NotPossibleError(
            f"{advert.endpoint} did not let us in", hint="its token is another one, or it is not hookstepper"
        )
    if answer.error is not None:
        raise answer.error


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
