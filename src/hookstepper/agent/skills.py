"""Skills: folders with instructions that a model reads when it needs them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

SKILL_FILE = "SKILL.md"


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill."""

    name: str
    description: str
    path: Path
    """Its folder."""
    allowed_tools: tuple[str, ...] = ()
    """Tools that are offered once it has been read."""
    metadata: dict[str, str] = field(default_factory=dict)

    def content(self) -> str:
        """The instructions, without the head of the file."""
        return _parts((self.path / SKILL_FILE).read_text(encoding="utf-8"))[1]


class SkillRegistry:
    """Skills of some folders: each subfolder with a `SKILL.md` is one. A later folder wins by name."""

    def __init__(self, *folders: str | Path) -> None:
        self.folders = [Path(folder) for folder in folders]
        self._skills: dict[str, Skill] = {}
        self._disabled: set[str] = set()
        self.reload()

    def reload(self) -> None:
        """Read the folders again; a skill that cannot be read is left out."""
        self._skills = {
            skill.name: skill
            for folder in self.folders
            for path in sorted(folder.glob(f"*/{SKILL_FILE}"))
            if (skill := _read(path)) is not None
        }

    def all(self) -> Sequence[Skill]:
        """Skills that are not disabled, by name."""
        return [skill for name, skill in sorted(self._skills.items()) if name not in self._disabled]

    def find(self, name: str = "", path: str = "") -> Skill | None:
        """The skill of that name, or in that folder; None if there is none, or the two differ."""
        by_name = next((skill for skill in self.all() if skill.name == name), None) if name else None
        by_path = next((skill for skill in self.all() if _is(skill.path, path)), None) if path else None
        if name and path:
            return by_name if by_name is not None and by_name is by_path else None
        return by_name or by_path

    def search(self, words: str) -> Sequence[Skill]:
        """Skills whose name or description holds all the words."""
        wanted = words.lower().split()
        return [s for s in self.all() if all(w in f"{s.name} {s.description}".lower() for w in wanted)]

    def disable(self, name: str) -> bool:
        """Leave a skill out from now on; False if it was left out before."""
        if name in self._disabled:
            return False
        self._disabled.add(name)
        return True

    def is_disabled(self, name: str) -> bool:
        """True if it was left out."""
        return name in self._disabled


def _is(folder: Path, text: str) -> bool:
    wanted = Path(text)
    wanted = wanted.parent if wanted.name == SKILL_FILE else wanted
    return folder == wanted or folder.resolve() == wanted.resolve()


def _read(path: Path) -> Skill | None:
    try:
        head, _ = _parts(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
    known = dict(head)
    name = known.pop("name", path.parent.name)
    tools = known.pop("allowed-tools", "")
    return Skill(name, known.pop("description", ""), path.parent, _list(tools), known)


def _parts(text: str) -> tuple[Iterable[tuple[str, str]], str]:
    """The `key: value` lines between two lines of three hyphens at the top, and what follows."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != "---":
        return (), text
    end = next((at for at, line in enumerate(lines[1:], 1) if line.strip() == "---"), None)
    if end is None:
        return (), text
    pairs = [line.partition(":") for line in lines[1:end] if ":" in line]
    head = [(key.strip(), value.strip().strip("'\"")) for key, _, value in pairs]
    return head, "\n".join(lines[end + 1 :]).strip()


def _list(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.strip("[]").replace(",", " ").split() if part.strip())
