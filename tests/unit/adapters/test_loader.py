"""The loader finds what a person means, and says so when it cannot."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from hookstepper.adapters.loader import Loaded, load, parse_target
from hookstepper.model.errors import LoadError
from hookstepper.ports.target import OpenOptions


class FakeAdapter:
    """Claims objects of any class named `Agent` or `Graph`, as a real one goes by names in the MRO."""

    name = "fake"

    def __init__(self) -> None:
        self.log: list[str] = []

    def prepare(self) -> None:
        self.log.append("prepare" if "user_mark" not in sys.modules else "too late")

    def claims(self, obj: object) -> bool:
        return any(kind.__name__ in ("Agent", "Graph") for kind in type(obj).__mro__)

    def open(self, obj: object, options: OpenOptions) -> object:
        return (obj, options)

    def versions(self) -> tuple[tuple[str, str], ...]:
        return ()


CLASSES = "class Graph:\n    def __init__(self, **kw): vars(self).update(kw)\n\n"


@pytest.fixture(autouse=True)
def _clean_imports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Imports, the path and the environment are put back after each test."""
    modules = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    environment = dict(os.environ)
    yield
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    os.environ.clear()
    os.environ.update(environment)


def found(folder: Path, text: str, **kw: object) -> Loaded:
    return load(parse_target(text, folder), [FakeAdapter()], **kw)  # type: ignore[list-item, arg-type]


def write(folder: Path, name: str, text: str, *, classes: bool = True) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text((CLASSES if classes else "") + dedent(text), encoding="utf-8")
    return path


def test_the_only_graph_of_a_file_is_found_under_its_name(tmp_path: Path) -> None:
    write(tmp_path, "my_flow.py", "SAMPLE_INPUT = 'hi'\nflow = Graph()\nalias = flow\nother = 3\n")

    loaded = found(tmp_path, "my_flow.py")

    assert loaded.attr == "flow"
    assert loaded.sample_input == "hi"
    assert loaded.module.__name__ == "my_flow"


def test_the_builder_and_the_subgraphs_of_a_graph_are_no_second_choice(tmp_path: Path) -> None:
    write(
        tmp_path,
        "nested_flow.py",
        """
        inner = Graph()
        builder = Graph(nodes={"team": [inner]})
        graph = Graph(builder=builder)
        """,
    )

    assert found(tmp_path, "nested_flow.py").attr == "graph"


def test_two_graphs_are_a_choice_and_not_a_guess(tmp_path: Path) -> None:
    write(tmp_path, "two_flows.py", "a = Graph()\nb = Graph()\n")

    with pytest.raises(LoadError) as caught:
        found(tmp_path, "two_flows.py")

    assert caught.value.choices == ("a", "b")
    assert found(tmp_path, "two_flows.py:b").attr == "b"


def test_no_graph_names_the_functions_that_could_make_one(tmp_path: Path) -> None:
    write(tmp_path, "no_flow.py", "def make():\n    return Graph()\ndef helper(a, b):\n    return 1\n")

    with pytest.raises(LoadError) as caught:
        found(tmp_path, "no_flow.py")

    assert caught.value.choices == ("make",)


def test_a_wrong_attribute_lists_the_right_ones(tmp_path: Path) -> None:
    write(tmp_path, "one_flow.py", "flow = Graph()\n")

    with pytest.raises(LoadError, match="no attribute 'flaw'") as caught:
        found(tmp_path, "one_flow.py:flaw")

    assert caught.value.choices == ("flow",)


FACTORIES = """
    import contextlib
    log = []
    class Space:
        graph = Graph(name="dotted")
    def plain(): return Graph(name="plain")
    def with_config(config): return Graph(name=config["configurable"]["who"])
    def defaulted(config=None): return Graph(name=config["configurable"]["who"])
    def optional(size=3): return Graph(name=str(size))
    async def later(): return Graph(name="later")
    async def later_config(cfg): return Graph(name=cfg["configurable"]["who"])
    @contextlib.contextmanager
    def entered():
        log.append("in"); yield Graph(name="entered"); log.append("out")
    @contextlib.asynccontextmanager
    async def entered_later():
        log.append("in"); yield Graph(name="entered_later"); log.append("out")
    def bare_generator():
        log.append("in"); yield Graph(name="bare_generator"); log.append("out")
    async def bare_async_generator(config):
        log.append("in"); yield Graph(name="bare_async_generator"); log.append("out")
    class Maker:
        def __call__(self): return Graph(name="maker")
    maker = Maker()
"""


@pytest.mark.parametrize(
    ("attr", "name", "has_loop"),
    [
        ("plain", "plain", False),
        ("with_config", "me", False),
        ("defaulted", "me", False),
        ("optional", "3", False),
        ("later", "later", True),
        ("later_config", "me", True),
        ("entered", "entered", False),
        ("entered_later", "entered_later", True),
        ("bare_generator", "bare_generator", False),
        ("bare_async_generator", "bare_async_generator", True),
        ("maker", "maker", False),
        ("Space.graph", "dotted", False),
    ],
)
def test_every_form_of_factory_makes_its_graph(tmp_path: Path, attr: str, name: str, has_loop: bool) -> None:
    """Projects declare graphs in all of these ways; what was entered is left again, once."""
    write(tmp_path, "factories_here.py", FACTORIES)

    loaded = found(tmp_path, f"factories_here.py:{attr}", config={"configurable": {"who": "me"}})
    log = loaded.module.log

    assert loaded.obj.name == name  # type: ignore[attr-defined]
    assert (loaded.made.loop is not None) is has_loop
    assert log in ([], ["in"])
    before = list(log)
    loaded.close()
    loaded.close()
    assert log == [*before, *(["out"] if before else [])]


def test_what_a_factory_may_not_be_is_said(tmp_path: Path) -> None:
    write(tmp_path, "bad_factories.py", "def many(a, b): ...\ndef wrong(): return 5\nnumber = 7\n")

    for attr, words in (("many", "neither"), ("wrong", "made a int"), ("number", "is a int")):
        with pytest.raises(LoadError, match=words):
            found(tmp_path, f"bad_factories.py:{attr}")


def test_a_failing_factory_leaves_what_it_entered(tmp_path: Path) -> None:
    write(
        tmp_path,
        "failing_factory.py",
        """
        log = []
        async def make():
            log.append("in")
            try:
                yield 5
            finally:
                log.append("out")
        """,
    )

    with pytest.raises(LoadError):
        found(tmp_path, "failing_factory.py:make")

    assert sys.modules["failing_factory"].log == ["in", "out"]


def test_an_exception_at_import_passes_through_and_leaves_no_half_module(tmp_path: Path) -> None:
    write(tmp_path, "broken_flow.py", "raise ZeroDivisionError('mine')\n")

    with pytest.raises(ZeroDivisionError, match="mine"):
        found(tmp_path, "broken_flow.py")

    assert "broken_flow" not in sys.modules


def test_a_file_named_like_a_module_in_use_does_not_replace_it(tmp_path: Path) -> None:
    write(tmp_path, "json.py", "graph = Graph()\n")

    loaded = found(tmp_path, "json.py")

    assert sys.modules["json"] is json
    assert loaded.module is not json


def test_classes_of_the_file_can_be_pickled(tmp_path: Path) -> None:
    write(tmp_path, "pickled_flow.py", "graph = Graph()\n")

    loaded = found(tmp_path, "pickled_flow.py")

    assert type(pickle.loads(pickle.dumps(loaded.obj))) is type(loaded.obj)


def test_neighbours_are_importable_plainly_and_relatively(tmp_path: Path) -> None:
    write(tmp_path, "neighbour_tools.py", "", classes=True)
    write(tmp_path, "plain_use.py", "from neighbour_tools import Graph\ng = Graph()\n", classes=False)
    write(tmp_path, "pkg_a/__init__.py", "", classes=False)
    write(tmp_path, "pkg_a/sub/__init__.py", "", classes=False)
    write(tmp_path, "pkg_a/sub/things.py", "")
    write(tmp_path, "pkg_a/sub/graph.py", "from .things import Graph\ng = Graph()\n", classes=False)

    assert found(tmp_path, "plain_use.py").attr == "g"
    assert found(tmp_path, "pkg_a/sub/graph.py").module.__name__ == "pkg_a.sub.graph"
    assert found(tmp_path, "pkg_a.sub.graph:g").attr == "g"


def test_a_missing_module_is_ours_and_a_missing_import_inside_it_is_theirs(tmp_path: Path) -> None:
    write(tmp_path, "imports_nothing.py", "import not_there_at_all\n")

    with pytest.raises(LoadError, match="no module 'nowhere_pkg'"):
        found(tmp_path, "nowhere_pkg.mod:graph")
    with pytest.raises(ModuleNotFoundError, match="not_there_at_all"):
        found(tmp_path, "imports_nothing:graph")


def test_adapters_are_prepared_before_the_users_code(tmp_path: Path) -> None:
    write(tmp_path, "user_mark.py", "graph = Graph()\n")
    adapter = FakeAdapter()

    load(parse_target("user_mark.py", tmp_path), [adapter])  # type: ignore[list-item]

    assert adapter.log == ["prepare"]


def test_a_project_file_gives_paths_names_and_environment(tmp_path: Path) -> None:
    write(tmp_path, "src/flow_one.py", "import shared_lib_x, os\nwho = os.environ['WHO_AM_I']\ng = Graph()\n")
    write(tmp_path, "lib/shared_lib_x.py", "")
    (tmp_path / "settings.env").write_text("export WHO_AM_I='the project' # comment\n")
    project = {
        "dependencies": ["./lib", "requests"],
        "graphs": {"one": "./src/flow_one.py:g", "two": {"path": "./src/flow_one.py:g"}},
        "env": "settings.env",
    }
    (tmp_path / "langgraph.json").write_text(json.dumps(project))

    for text in ("langgraph.json#one", ".#two"):
        loaded = found(tmp_path, text)
        assert loaded.attr == text[-3:]
        assert loaded.module.who == "the project"
    with pytest.raises(LoadError) as caught:
        found(tmp_path, "langgraph.json")
    assert caught.value.choices == ("langgraph.json#one", "langgraph.json#two")


@pytest.mark.parametrize(
    ("text", "words"),
    [("[1", "not JSON"), ("{}", "declares no graphs"), ('{"graphs": {"a": 5}}', "has no path")],
)
def test_a_malformed_project_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "langgraph.json").write_text(text)

    with pytest.raises(LoadError, match=words):
        found(tmp_path, "langgraph.json")


@pytest.mark.parametrize("text", ["", "  ", "missing.py", "missing/langgraph.json", "a/b/missing.py:x"])
def test_a_target_that_is_not_there_is_refused_before_anything_runs(tmp_path: Path, text: str) -> None:
    with pytest.raises(LoadError):
        parse_target(text, tmp_path)


def test_opening_hands_on_what_the_module_suggests(tmp_path: Path) -> None:
    write(tmp_path, "sampled.py", "SAMPLE_INPUT = {'n': 1}\nasync def make(): return Graph()\n")

    loaded = found(tmp_path, "sampled.py:make")
    _, options = loaded.open(OpenOptions(thread="t"))  # type: ignore[misc]

    assert options.sample_input == {"n": 1}
    assert options.loop is loaded.made.loop
    assert options.thread == "t"
    loaded.close()
