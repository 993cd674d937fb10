"""A shell for the agent: one session for each thread, opened before the run and closed after it."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hookstepper.agent import options
from hookstepper.agent.hooks import AgentHook, HookPosition, ToolInjection, hook_positions
from hookstepper.agent.tools import Tool, ToolContext

SESSION_KEY = "_SHELL_SESSION_"
NO_OUTPUT = "<no output>"
MOST_OUTPUT = 100_000
"""Characters of output that are given back; the rest is counted."""
_SESSIONS: dict[str, ShellSession] = {}


class ShellSession:
    """A running shell. Commands see what earlier ones left: the folder, variables, functions.

    Used by one thread at a time.
    """

    def __init__(
        self, folder: str | Path, *, shell: Sequence[str] = ("/bin/sh",), timeout: float = 60.0
    ) -> None:
        self.folder = Path(folder)
        self.shell = tuple(shell)
        self.timeout = timeout
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def is_open(self) -> bool:
        """True while the shell runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start the shell, unless it runs.

        Raises:
            RuntimeError: it cannot be started.
        """
        if self.is_open:
            return
        try:
            self._process = subprocess.Popen(
                self.shell,
                cwd=self.folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise RuntimeError(f"the shell session could not be started: {error}") from error

    def close(self) -> None:
        """End the shell and what it started; may be called twice."""
        process, self._process = self._process, None
        if process is None:
            return
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def run(self, command: str) -> str:
        """The command's output, its exit code under it if that is not 0; a command that takes too long is
        ended together with the shell, which is started anew."""
        self.start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        mark = f"__hookstepper_{uuid.uuid4().hex}__"
        script = f"{{ {command}\n}} </dev/null\nprintf '\\n{mark} %s\\n' \"$?\"\n"
        try:
            process.stdin.write(script.encode())
            process.stdin.flush()
        except BrokenPipeError:
            pass  # the shell has ended; what it said is read below
        data, ended = self._read(process.stdout.fileno(), f"\n{mark} ".encode())
        if ended == "timeout":
            self.close()
            self.start()
            return (
                f"Error: the command took more than {self.timeout:g} s and was ended; the shell is a new one."
            )
        output, _, tail = data.partition(f"\n{mark} ".encode())
        if ended == "closed":
            code = process.wait()
            self.close()
            return _shown(output, code)
        return _shown(output, int(tail.split()[0]))

    def _read(self, descriptor: int, mark: bytes) -> tuple[bytes, str]:
        """Output up to the line after `mark`, and `done`, `closed` or `timeout`."""
        deadline = time.monotonic() + self.timeout
        data = b""
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while True:
                at = data.find(mark)
                if at >= 0 and b"\n" in data[at + len(mark) :]:
                    return data, "done"
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    return data, "timeout"
                piece = os.read(descriptor, 65536)
                if not piece:
                    return data, "closed"
                data += piece


def _shown(output: bytes, code: int) -> str:
    text = output.decode("utf-8", "replace").strip("\n")
    if len(text) > MOST_OUTPUT:
        text = f"{text[:MOST_OUTPUT]}\n({len(text) - MOST_OUTPUT} characters more)"
    text = text or NO_OUTPUT
    return text if code == 0 else f"{text}\nExit code: {code}"


class ShellTool:
    """The tool behind `ShellToolAgentHook`: `shell(command, restart)`."""

    def __init__(
        self, folder: str | Path | None = None, *, name: str = "shell", timeout: float = 60.0
    ) -> None:
        options.number(timeout, "ShellTool: timeout", least=0.001, whole=False)
        self.folder = Path(folder or Path.cwd())
        self.name = name
        self.timeout = timeout

    def session(self, config: Any) -> ShellSession:
        """The thread's session; made, and not started, if there is none.

        Raises:
            RuntimeError: the run has no thread, and no session was opened for it.
        """
        found = config.context.get(SESSION_KEY)
        if found is None and config.thread_id is not None:
            found = _SESSIONS.get(config.thread_id)
        if found is None:
            if config.thread_id is None:
                raise RuntimeError(
                    "there is no shell session: the hook did not open one and the run has no thread"
                )
            found = self.open(config)
        session: ShellSession = found
        return session

    def open(self, config: Any) -> ShellSession:
        """Make the run's session known to it, and to later runs of its thread."""
        session = ShellSession(self.folder, timeout=self.timeout)
        config.context[SESSION_KEY] = session
        if config.thread_id is not None:
            _SESSIONS[config.thread_id] = session
        return session

    def close(self, config: Any) -> None:
        """End the run's session."""
        session = config.context.pop(SESSION_KEY, None)
        if config.thread_id is not None:
            session = _SESSIONS.pop(config.thread_id, session)
        if session is not None:
            session.close()

    def run(self, context: ToolContext, command: str = "", restart: bool = False) -> str:
        """What a call gives."""
        session = self.session(context.config)
        if restart:
            session.close()
            session.start()
            return "The shell was started anew."
        if not command.strip():
            return "Error: there is no command."
        return session.run(command)

    def as_tool(self) -> Tool:
        """The tool for a model."""
        schema = {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "the command to run"},
                "restart": {
                    "type": "boolean",
                    "description": "start the shell anew instead",
                    "default": False,
                },
            },
        }
        about = f"Run a command in a shell that keeps its state; it begins in {self.folder}."
        return Tool(self.name, self.run, about, schema, context_parameter="context")


@hook_positions(HookPosition.BEFORE_AGENT, HookPosition.AFTER_AGENT)
class ShellToolAgentHook(AgentHook, ToolInjection):
    """Brings the tool `shell` and its session. A run that fails or is interrupted leaves the session open:
    upstream, because the hook behind it does not run; here that also lets a resumed run go on in it."""

    name = "ShellToolAgentHook"

    def __init__(self, shell: ShellTool | None = None) -> None:
        self.shell = shell or ShellTool()
        self.required_tool_name = self.shell.name
        self._tool = self.shell.as_tool()

    def tools(self) -> Sequence[Tool]:
        """The one tool."""
        return (self._tool,)

    def inject_tool(self, tool: Tool) -> None:
        """Nothing to do: the hook has brought the tool itself."""

    def before_agent(self, state: Mapping[str, Any], config: Any) -> Mapping[str, Any]:  # noqa: ARG002
        """Open the session."""
        self.shell.open(config).start()
        return {}

    def after_agent(self, state: Mapping[str, Any], config: Any) -> Mapping[str, Any]:  # noqa: ARG002
        """Close it."""
        self.shell.close(config)
        return {}
