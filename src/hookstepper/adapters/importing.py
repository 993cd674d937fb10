"""Imports the file or module of a target as if the user had started it from its own folder."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from hookstepper.model.errors import LoadError


def first_on_path(folder: str) -> None:
    """Put a folder before all others on `sys.path`, once."""
    if folder in sys.path:
        sys.path.remove(folder)
    sys.path.insert(0, folder)


def import_module(name: str) -> ModuleType:
    """The module of that dotted name.

    Raises:
        LoadError: there is no such module; a missing import inside it is the user's own error.
    """
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name and (name == error.name or name.startswith(error.name + ".")):
            raise LoadError(
                f"no module {error.name!r} in this interpreter ({sys.executable})",
                hint="give a path ending in .py, or another interpreter with --python",
            ) from None
        raise


def import_file(path: Path) -> ModuleType:
    """The module that a Python file makes, imported under its own stem with its folder first on the path.

    A file that imports relatively is imported as part of its package instead, since nothing else works.

    Raises:
        LoadError: the file is not Python source by its name.
    """
    name, folder = _module_name(path)
    first_on_path(str(folder))
    if "." in name:
        return importlib.import_module(name)
    present = sys.modules.get(name)
    if present is not None:
        if _same_file(getattr(present, "__file__", None), path):
            return present
        # A file called json.py must not take the place of the module that everybody else uses.
        name = f"{name}_under_debug"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise LoadError(f"{path} is not a Python file", hint="its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _module_name(path: Path) -> tuple[str, Path]:
    """The stem, unless the file imports relatively: then its dotted name from the top of its package."""
    name, folder = path.stem, path.parent
    if not (folder / "__init__.py").is_file() or not _imports_relatively(path):
        return name, folder
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        name, folder = f"{folder.name}.{name}", folder.parent
    return name, folder


def _imports_relatively(path: Path) -> bool:
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return False
    return any(isinstance(node, ast.ImportFrom) and node.level > 0 for node in ast.walk(tree))


def _same_file(one: str | None, other: Path) -> bool:
    return one is not None and Path(one).resolve() == other
