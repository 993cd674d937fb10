"""The documentation is true: its programs run, its commands print what it shows, its links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from hookstepper.client.lists import breakpoint_from
from hookstepper.exporters import BUILT_IN
from hookstepper.model.breakpoints import BreakOn

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").glob("**/*.md"))]
GENERATED = {"keys.md", "compat.md"}
"""Pages that a program prints; other tests hold them to it."""
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(found[1], found[2]) for found in BLOCK.finditer(page.read_text())]


def with_commands() -> list[Path]:
    """Pages that run something: a command, or a test of their own."""
    return [
        page
        for page in PAGES
        if any(language == "console" or text.startswith("# test_") for language, text in blocks(page))
    ]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """One command of a page, with `hookstepper` being this one."""
    program, *words = shlex.split(command)
    assert program == "hookstepper", f"a page may only run hookstepper, not {program}"
    return subprocess.run(
        [sys.executable, "-m", "hookstepper", *words],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )


def fits(shown: list[str], printed: list[str]) -> bool:
    """True if the page's lines are the printed ones; a line `…` stands for any lines."""
    if not shown:
        return not printed
    if shown[0].strip() == "…":
        return any(fits(shown[1:], printed[start:]) for start in range(len(printed) + 1))
    return bool(printed) and shown[0].strip() == printed[0].strip() and fits(shown[1:], printed[1:])


def check(command: str, shown: list[str], folder: Path) -> None:
    wanted = 0
    if shown and (code := re.fullmatch(r"\[exit (\d+)\]", shown[0])):
        wanted, shown = int(code[1]), shown[1:]

    done = run(command, folder)

    assert done.returncode == wanted, f"{command}\n{done.stdout}\n{done.stderr}"
    assert fits(shown, done.stdout.splitlines()), f"{command} printed:\n{done.stdout}"


def check_test(file: Path) -> None:
    """A test on a page passes, by itself and without this project's settings."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-W", "ignore", file.name],
        cwd=file.parent,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.timeout(600)  # a page starts a dozen processes
@pytest.mark.parametrize("page", with_commands(), ids=name_of)
def test_the_commands_of_a_page_do_what_it_shows(page: Path, tmp_path: Path) -> None:
    """A reader who types what is written gets what is written."""
    for language, text in blocks(page):
        named = re.match(r"# (\w+\.\w+)\n", text)
        if named:
            (tmp_path / named[1]).write_text(text.removeprefix(named[0]))
            if named[1].startswith("test_"):
                check_test(tmp_path / named[1])
        elif language == "console":
            command, shown = "", list[str]()
            for line in text.splitlines():
                if line.startswith("$ "):
                    if command:
                        check(command, shown, tmp_path)
                    command, shown = line.removeprefix("$ "), []
                else:
                    shown.append(line)
            check(command, shown, tmp_path)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_on_a_page_is_python(page: Path) -> None:
    """Also where no command runs it."""
    for language, text in blocks(page):
        if language == "python":
            compile(text, name_of(page), "exec")


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page: Path) -> None:
    """Pages move."""
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())

    broken = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in GENERATED], ids=name_of)
def test_one_sentence_a_line(page: Path) -> None:
    """A change of one sentence is a change of one line."""
    prose = BLOCK.sub("", page.read_text())

    crowded = [
        line
        for line in prose.splitlines()
        if not line.lstrip().startswith(("|", "-", "#", "```")) and re.search(r"[a-z`*][.!?] [A-Z]", line)
    ]
    assert crowded == []


def test_every_page_is_in_the_index() -> None:
    """A page that nothing leads to is not there."""
    index = (ROOT / "docs" / "index.md").read_text()
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}

    assert {page for page in pages - {"index.md"} if f"({page})" not in index} == set()


def test_every_format_is_on_its_page() -> None:
    """The table of formats is the table of formats."""
    page = (ROOT / "docs" / "formats.md").read_text()
    table = page.partition("| format |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", table, re.M)

    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(BUILT_IN)


def test_every_kind_of_breakpoint_is_on_its_page() -> None:
    """And what the page shows can be typed."""
    page = (ROOT / "docs" / "breakpoints.md").read_text()
    kinds = page.partition("## Kinds")[2].partition("## Conditions")[0]

    rows = [row for row in kinds.splitlines() if row.startswith("| `")]
    assert {re.match(r"\| `(\w+)", row)[1] for row in rows} == set(get_args(BreakOn))  # type: ignore[index]
    lines = re.findall(r"^break\.add (.+)$", page, re.M)
    assert len([breakpoint_from(line, 1) for line in lines]) == 4


def test_make_targets_that_pages_name_exist() -> None:
    """`make demo` is the first thing that a stranger types."""
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.M))
    named = {word for page in PAGES for word in re.findall(r"(?:`|^)make (\w+)", page.read_text(), re.M)}

    assert named
    assert named <= targets
