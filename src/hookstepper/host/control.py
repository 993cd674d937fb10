"""The control thread: reads requests and answers them, also while the user's code blocks or runs."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import threading
from typing import Protocol, cast

from hookstepper.host.failures import interpreter_name, is_mine
from hookstepper.host.own_files import own_files
from hookstepper.model.commands import SessionCommand
from hookstepper.model.errors import GoneError, HookstepperError, WireError
from hookstepper.model.ids import HostId, Json
from hookstepper.model.jsonform import from_json
from hookstepper.model.version import VERSION
from hookstepper.wire.connection import PROTOCOL, Connection, Request


class Served(Protocol):
    """What a conversation is about."""

    id: HostId

    def open(self, params: Json) -> None:
        """Begin: the target is loaded, or told of if it is here already."""
        ...

    def handle(self, command: SessionCommand) -> None:
        """Carry out a command.

        Raises:
            HookstepperError: it was refused; nothing changed.
        """
        ...

    def stop(self) -> None:
        """The other end is gone, or wants no more."""
        ...


class Control:
    """Serves one connection until the other end closes, then calls `gone`."""

    def __init__(self, connection: Connection, host: Served, ended: threading.Event | None = None) -> None:
        """
        Args:
            ended: set when the other end has gone.
        """
        self._connection = connection
        self._host = host
        self._main = threading.main_thread()
        self._greeted = False
        self.ended = ended or threading.Event()

    def run(self) -> None:
        """Read and answer until the end of the stream; the body of the control thread."""
        try:
            while True:
                message = self._connection.receive()
                if message is None:
                    break
                if isinstance(message, Request):
                    self.answer(message)
        except GoneError:
            # The other end left without waiting for an answer: nobody is there to be told.
            pass
        except WireError as error:
            sys.stderr.write(f"hookstepper: {error.message}\n")
        finally:
            self.ended.set()
            self._host.stop()

    def answer(self, request: Request) -> None:
        """Carry out one request and answer it.

        Raises:
            WireError: the other end is gone.
        """
        # What a command does at once and the answer to it are one piece on the wire.
        with self._connection.together():
            self._answered(request)

    def _answered(self, request: Request) -> None:
        try:
            answer = self._do(request.method, request.params)
        except HookstepperError as error:
            self._connection.refuse(request.seq, error)
        except Exception as error:
            broken = HookstepperError(
                f"{request.method} failed in the debugger: {type(error).__name__}: {error}"
            )
            self._connection.refuse(request.seq, broken)
        else:
            self._connection.reply(request.seq, answer)

    def _do(self, method: str, params: Json) -> Json:
        if method == "hello":
            return self._hello(params)
        if not self._greeted:
            raise WireError("the first request must be hello")
        match method:
            case "ping":
                return None
            case "where":
                return self._where()
            case "files":
                return [*own_files()]
            case "open":
                self._host.open(params)
                return None
            case "command":
                self._host.handle(cast(SessionCommand, from_json(SessionCommand, params)))  # type: ignore[arg-type]
                return None
            case "terminate":
                self._host.stop()
                return None
        raise WireError(f"no request {method!r}")

    def _hello(self, params: Json) -> Json:
        spoken = params.get("protocol") if isinstance(params, dict) else None
        if not isinstance(spoken, list) or not spoken or spoken[0] != PROTOCOL[0]:
            raise WireError(f"protocol {spoken} is not {PROTOCOL[0]}.x")
        self._greeted = True
        return {
            "protocol": list(PROTOCOL),
            "version": VERSION,
            "host": self._host.id,
            "pid": os.getpid(),
            "python": platform.python_version(),
            "interpreter": interpreter_name(),
            "executable": sys.executable,
        }

    def _where(self) -> Json:
        """What the main thread is doing now: innermost lines of the user's own code first."""
        lines: list[Json] = []
        with contextlib.suppress(KeyError):
            frame = sys._current_frames()[self._main.ident or 0]
            while frame is not None:
                code = frame.f_code
                if is_mine(code.co_filename):
                    lines.append(
                        {"file": code.co_filename, "line": frame.f_lineno, "function": code.co_qualname}
                    )
                frame = frame.f_back  # type: ignore[assignment]
        return lines[:20]
