"""The import half of loading: from the word TARGET to the one agent or graph that it means.

Runs in the user's interpreter, so it uses the standard library only, and it knows no framework: whether
an object can be debugged is what the adapters say. What the user's code raises while it is imported or
called passes through untouched; only what we cannot make sense of becomes a `LoadError`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Literal

from hookstepper.adapters.candidates import pick
from hookstepper.adapters.envfile import read_env
from hookstepper.adapters.factories import Made, claimant, make
from hookstepper.adapters.importing import first_on_path, import_file, import_module
from hookstepper.model.errors import LoadError
from hookstepper.ports.target import Adapter, OpenOptions, Target

PROJECT_FILE = "langgraph.json"
SAMPLE_INPUT = "SAMPLE_INPUT"
"""Module attribute that holds an input worth trying."""


@dataclass(frozen=True, slots=True)
class TargetSpec:
    """The word TARGET taken apart."""

    kind: Literal["file", "module", "project"]
    place: str
    """Absolute path of a file or project file, or the dotted name of a module."""
    attr: str = ""
    """Attribute of the module, may be dotted; for a project the graph's name; empty: find it."""
    folder: str = ""
    """Absolute folder that relative names start from."""


@dataclass(slots=True)
class Loaded:
    """What was found. Its owner calls `close` when nothing of it will run again."""

    made: Made
    attr: str
    """Name under which the object was found: an attribute, or a graph's name in a project file."""
    module: ModuleType | None
    """Where it was found; None for an object that was given."""
    sample_input: object = None

    @property
    def obj(self) -> object:
        """The agent or graph."""
        return self.made.obj

    @property
    def adapter(self) -> Adapter:
        """The adapter that claims it."""
        return self.made.adapter

    def open(self, options: OpenOptions) -> Target:
        """A target for the object; the options are completed with the sample input and the loop.

        Raises:
            SpecError: the object cannot be opened; the message says why.
        """
        found = replace(options, sample_input=self.sample_input, loop=self.made.loop)
        return self.adapter.open(self.obj, found)

    def close(self) -> None:
        """Leave what a factory entered; may be called twice."""
        self.made.close()


def parse_target(text: str, folder: Path) -> TargetSpec:
    """TARGET as `file.py[:attr]`, `package.module[:attr]`, `langgraph.json[#graph]` or a project's folder.

    Args:
        text: the word as it was typed.
        folder: where relative paths start, usually the working directory.

    Raises:
        LoadError: the word is empty, or names a file that is not there.
    """
    if not text.strip():
        raise LoadError("no target given", hint="such as agent.py, agent.py:graph or langgraph.json")
    here = folder.resolve()
    place, _, graph = text.rpartition("#") if "#" in text else (text, "", "")
    if place.endswith(".json") or (here / place).is_dir():
        path = (here / place).resolve()
        project = path / PROJECT_FILE if path.is_dir() else path
        _must_exist(project)
        return TargetSpec("project", str(project), graph, str(project.parent))
    # From the right, so that the colon of a Windows drive stays with the path.
    place, _, attr = (text, "", "") if text.endswith(".py") else text.rpartition(":")
    if not place:
        place, attr = attr, ""
    if place.endswith(".py") or "/" in place or os.sep in place:
        path = (here / place).resolve()
        _must_exist(path)
        return TargetSpec("file", str(path), attr, str(path.parent))
    return TargetSpec("module", place, attr, str(here))


def load(
    target: TargetSpec, adapters: Iterable[Adapter], config: Mapping[str, object] | None = None
) -> Loaded:
    """Import the target and find the object that it means.

    The folder of the target comes first on `sys.path`, the adapters' `prepare` is called before anything
    of the user is imported, and a file is imported under its own stem, so that its classes can be pickled.

    Args:
        target: what to load.
        adapters: those that may claim an object, in order of preference; at least one.
        config: given to a factory that takes a config; `{"configurable": {}}` by default.

    Raises:
        LoadError: nothing there can be debugged, or several things can; `choices` then names them.
        BaseException: whatever the user's code raises while it is imported or called.
    """
    known = tuple(adapters)
    name = ""
    if target.kind == "project":
        target, name = _from_project(target)
    first_on_path(target.folder)
    for adapter in known:
        adapter.prepare()
    module = import_file(Path(target.place)) if target.kind == "file" else import_module(target.place)
    attr, obj = pick(module, target.attr, known)
    made = make(obj, known, {"configurable": {}} if config is None else config, name or attr)
    return Loaded(made, name or attr, module, getattr(module, SAMPLE_INPUT, None))


def given(obj: object, adapters: Iterable[Adapter]) -> Loaded:
    """An object that is here already, as if it had been found.

    Raises:
        LoadError: no adapter knows what it is.
    """
    adapter = claimant(obj, tuple(adapters))
    if adapter is None:
        raise LoadError(
            f"a {type(obj).__name__} is no agent or graph that can be debugged",
            hint="an agent of hookstepper.agent, a LangGraph graph, or a create_agent agent",
        )
    return Loaded(Made(obj, adapter), getattr(obj, "name", "") or type(obj).__name__, None)


def _must_exist(path: Path) -> None:
    if path.is_file():
        return
    near = sorted(item.name for item in path.parent.glob(f"*{path.suffix}"))[:8] if path.suffix else []
    raise LoadError(
        f"no file {path}",
        hint=f"there: {', '.join(near)}" if near else "give a file, a module, or a langgraph.json",
    )


def _from_project(target: TargetSpec) -> tuple[TargetSpec, str]:
    """The target that a project file means, and the name it has there; its paths and env are applied."""
    path = Path(target.place)
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise LoadError(f"{path} is not JSON: {error}") from None
    graphs = data.get("graphs") if isinstance(data, dict) else None
    if not isinstance(graphs, dict) or not graphs:
        raise LoadError(f"{path} declares no graphs", hint='expected {"graphs": {"name": "./file.py:attr"}}')
    name = target.attr or (next(iter(graphs)) if len(graphs) == 1 else "")
    if name not in graphs:
        what = f"no graph {name!r} in {path}" if name else f"{path} declares several graphs"
        choices = tuple(f"{path.name}#{known}" for known in graphs)
        raise LoadError(what, hint=f"choose one: {', '.join(choices)}", choices=choices)
    entry = graphs[name]
    text = entry.get("path") if isinstance(entry, dict) else entry
    if not isinstance(text, str):
        raise LoadError(f"{path}: graph {name!r} has no path", hint='such as "./file.py:attr"')
    found = parse_target(text, path.parent)
    for folder in data.get("dependencies") or ():
        if isinstance(folder, str) and folder.startswith("."):
            first_on_path(str((path.parent / folder).resolve()))
    first_on_path(str(path.parent))
    _apply_env(data.get("env"), path.parent)
    return found, name


def _apply_env(env: object, folder: Path) -> None:
    if isinstance(env, str):
        file = folder / env
        if not file.is_file():
            raise LoadError(f"no env file {file}", hint=f'{PROJECT_FILE} names it under "env"')
        env = read_env(file.read_text(encoding="utf-8"), os.environ)
    if isinstance(env, Mapping):
        os.environ.update({str(key): str(value) for key, value in env.items()})
