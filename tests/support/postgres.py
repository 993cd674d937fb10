"""A PostgreSQL server of a test's own: made in a temporary folder, on a socket there, gone afterwards."""

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
def postgres(folder: Path) -> Iterator[str]:
    """Address of a running server whose data is in `folder`."""
    options = _unprivileged()
    if options:
        os.chown(folder, options["user"], options["group"])
        for parent in folder.parents:
            if not parent.stat().st_mode & 0o001 and parent.owner() == "root":
                parent.chmod(parent.stat().st_mode | 0o011)
    data = folder / "data"
    initdb, server = binary("initdb"), binary("postgres")
    assert initdb is not None
    assert server is not None
    subprocess.run(
        [initdb, "-D", str(data), "-U", "test", "--auth=trust", "--no-sync"],
        check=True,
        capture_output=True,
        cwd=folder,
        **options,
    )
    # A socket file, not a port: a port that was free a moment ago may be another test's by now. In a folder
    # of its own, since the path of a socket may only have about a hundred characters.
    sockets = tempfile.mkdtemp(prefix="hookstepper-")
    if options:
        os.chown(sockets, options["user"], options["group"])
    process = subprocess.Popen(
        [server, "-D", str(data), "-h", "", "-k", sockets, "-F"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        **options,
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if "ready to accept connections" in line:
                break
        yield f"postgresql://test@/postgres?host={sockets}"
    finally:
        process.terminate()
        process.communicate()
        shutil.rmtree(sockets, ignore_errors=True)
