"""Whether a file of the program has changed: looked at now and then, without any system service."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

EVERY = 0.5
"""Seconds from one look to the next."""

_Stamp = tuple[int, int]


class FileWatch:
    """The files of one program. Used on the thread of the conversation."""

    def __init__(self) -> None:
        self._stamps: dict[Path, _Stamp] = {}
        self._seen: dict[Path, _Stamp] = {}
        self._next = 0.0

    def add(self, paths: Iterable[Path]) -> None:
        """Watch these files too, as they are now; one that is not there is watched once it is."""
        for path in paths:
            if path not in self._stamps and (stamp := _stamp(path)) is not None:
                self._stamps[path] = stamp

    def changed(self, now: float) -> Path | None:
        """A file that was changed and has come to rest since, told once; `now` in seconds.

        One that is missing at the moment is about to be written: editors replace files.
        """
        if now < self._next:
            return None
        self._next = now + EVERY
        before, self._seen = self._seen, {}
        for path, known in self._stamps.items():
            stamp = _stamp(path)
            if stamp is None or stamp == known:
                continue
            self._seen[path] = stamp
        for path, stamp in self._seen.items():
            if before.get(path) == stamp:
                self._stamps.update(self._seen)
                self._seen = {}
                return path
        return None


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
