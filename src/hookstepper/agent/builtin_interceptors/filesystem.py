"""Gives the model a folder to work in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.stepwise import RequestInterceptor
from hookstepper.agent.tools import Tool, tool

GUIDANCE = (
    "You have a folder to work in. Paths are relative to it. Look with ls, glob and grep before you read; "
    "read a file before you change it."
)
READ_ONLY = "You may read there, not write."
MOST_LINES = 2000
MOST_HITS = 200


class FilesystemInterceptor(RequestInterceptor):
    """Brings ls, read_file, glob and grep, and, unless `read_only`, write_file and edit_file.

    Nothing outside of `folder` can be reached, not through `..` and not through links.
    """

    name = "Filesystem"

    def __init__(
        self, folder: str | Path | None = None, *, read_only: bool = False, guidance: str | None = None
    ) -> None:
        self.folder = Path(folder or Path.cwd())
        self.read_only = read_only
        self.guidance = guidance or (f"{GUIDANCE} {READ_ONLY}" if read_only else GUIDANCE)

    def changed(self, request: ModelRequest) -> ModelRequest:
        """The guidance behind the system message."""
        return request.with_system_text(self.guidance)

    def tools(self) -> Sequence[Tool]:
        """The tools, rooted in the folder."""
        files = Files(self.folder)
        reading = [tool(files.ls), tool(files.read_file), tool(files.glob), tool(files.grep)]
        return reading if self.read_only else [*reading, tool(files.write_file), tool(files.edit_file)]


class Files:
    """A folder and what can be done in it; every method raises `ValueError` for a path that leads out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def path(self, name: str) -> Path:
        """The real place of a relative path.

        Raises:
            ValueError: it is outside of the folder.
        """
        found = (self.folder / name.lstrip("/")).resolve()
        if not found.is_relative_to(self.folder):
            raise ValueError(f"{name} is outside of the folder")
        return found

    def ls(self, path: str = ".") -> str:
        """List a folder; names of folders end with a slash.

        Args:
            path: the folder.
        """
        rows = sorted(f"{item.name}/" if item.is_dir() else item.name for item in self.path(path).iterdir())
        return "\n".join(rows) or "(empty)"

    def read_file(self, path: str, offset: int = 0, limit: int = MOST_LINES) -> str:
        """Read lines of a text file, with their numbers.

        Args:
            path: the file.
            offset: lines to leave out at the start.
            limit: lines to read.
        """
        lines = self.path(path).read_text(encoding="utf-8", errors="replace").splitlines()
        shown = lines[offset : offset + min(limit, MOST_LINES)]
        return (
            "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(shown, start=offset + 1))
            or "(empty)"
        )

    def write_file(self, path: str, content: str) -> str:
        """Write a new text file; one that exists is not replaced.

        Args:
            path: the file.
            content: its text.
        """
        target = self.path(path)
        if target.exists():
            raise ValueError(f"{path} exists; change it with edit_file")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, encoding="utf-8")
        return f"{len(content.encode())} bytes written to {path}"

    def edit_file(self, path: str, old: str, new: str, replace_all: bool = False) -> str:
        """Replace a text in a file.

        Args:
            path: the file.
            old: the text as it stands there; it must occur once, unless all are to be replaced.
            new: the text to put in its place.
            replace_all: replace every occurrence.
        """
        target = self.path(path)
        text = target.read_text(encoding="utf-8")
        count = text.count(old) if old else 0
        if count == 0:
            raise ValueError(f"the text does not occur in {path}")
        if count > 1 and not replace_all:
            raise ValueError(f"the text occurs {count} times in {path}; give more of it, or set replace_all")
        target.write_text(text.replace(old, new), encoding="utf-8")
        return f"{count} replaced in {path}"

    def glob(self, pattern: str) -> str:
        """Find files by a pattern such as `**/*.py`.

        Args:
            pattern: the pattern.
        """
        if pattern.startswith("/") or ".." in Path(pattern).parts:
            raise ValueError(f"{pattern} leads out of the folder")
        found = sorted(self._inside(self.folder.glob(pattern)))
        return "\n".join(str(item.relative_to(self.folder)) for item in found[:MOST_HITS]) or "(none)"

    def grep(self, pattern: str, glob: str = "**/*") -> str:
        """Find lines that match a regular expression.

        Args:
            pattern: the expression.
            glob: which files to look in.
        """
        expression = re.compile(pattern)
        hits: list[str] = []
        for item in sorted(self._inside(self.folder.glob(glob))):
            try:
                lines = item.read_text(encoding="utf-8").splitlines()
            except (UnicodeDecodeError, OSError):
                continue
            name = item.relative_to(self.folder)
            hits += [f"{name}:{at}: {line}" for at, line in enumerate(lines, 1) if expression.search(line)]
            if len(hits) >= MOST_HITS:
                break
        return "\n".join(hits[:MOST_HITS]) or "(none)"

    def _inside(self, items: Iterator[Path]) -> Iterator[Path]:
        return (item for item in items if item.is_file() and item.resolve().is_relative_to(self.folder))
