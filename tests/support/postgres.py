"""A PostgreSQL server of a test's own: made in a folder of its own, on a socket there, gone afterwards."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def binary(name: str) -> str | None:
    """Path of a PostgreSQL program, None if there is none."""
    installed = sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")), reverse=True)
    return installed[0] if installed else shutil.which(name)


def missing() -> str:
    """Why there can be no server here; empty if there can."""
    if binary("initdb") is None or binary("postgres") is None:
        return "PostgreSQL is not installed: initdb and postgres are needed"
    return ""


def _unprivileged() -> dict[str, Any]:
    """PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return {}
    user = pwd.getpwnam("nobody")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


@contextmanager
def postgres() -> Iterator[str]:
    """Address of a running server of its own.

    Raises:
        RuntimeError: it did not start; the error holds what it said.
    """
    options = _unprivileged()
    # Not a folder of pytest's: those are shut to other users again whenever another pytest starts. Short,
    # since the path of a socket may only have about a hundred characters.
    home = Path(tempfile.mkdtemp(prefix="hookstepper-"))
    try:
        if options:
            os.chown(home, options["user"], options["group"])
        _make(home / "data", options)
        with _running(home, options):
            # A socket file, not a port: a port that was free a moment ago may be another test's by now.
            yield f"postgresql://test@/postgres?host={home}"
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _make(data: Path, options: dict[str, Any]) -> None:
    initdb = binary("initdb")
    assert initdb is not None
    done = subprocess.run(
        [initdb, "-D", str(data), "-U", "test", "--auth=trust", "--no-sync"],
        capture_output=True,
        text=True,
        cwd=data.parent,
        **options,
    )
    if done.returncode:
        raise RuntimeError(f"initdb failed: {done.stdout}{done.stderr}")


@contextmanager
def _running(home: Path, options: dict[str, Any]) -> Iterator[None]:
    server = binary("postgres")
    assert server is not None
    process = subprocess.Popen(
        [server, "-D", str(home / "data"), "-h", "", "-k", str(home), "-F"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=home,
        **options,
    )
    try:
        assert process.stderr is not None
        said: list[str] = []
        for line in process.stderr:
            said.append(line)
            if "ready to accept connections" in line:
                break
        else:
            raise RuntimeError(f"PostgreSQL did not start: {''.join(said)}")
        yield
    finally:
        process.terminate()
        process.communicate()
