"""Skills for the agent: it sees a list of them, and reads one when it needs it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hookstepper.agent import options
from hookstepper.agent.builtin_interceptors.skills import SkillsInterceptor
from hookstepper.agent.hooks import AgentHook, HookPosition, hook_positions
from hookstepper.agent.skills import SkillRegistry
from hookstepper.agent.tools import Tool, tool


@hook_positions(HookPosition.BEFORE_AGENT)
class SkillsAgentHook(AgentHook):
    """Brings the tools read_skill, search_skills and disable_skill, and the ring that lists the skills.

    Args:
        auto_reload: read the folders again at the start of each run.
        grouped_tools: tools that a skill brings once it has been read, by its name.
        resolver: finds the tools that a skill allows by their names: a function, or a mapping.
    """

    def __init__(
        self,
        registry: SkillRegistry,
        *,
        auto_reload: bool = False,
        grouped_tools: Mapping[str, Sequence[Tool]] | None = None,
        resolver: Callable[[str], Tool | None] | Mapping[str, Tool] | None = None,
    ) -> None:
        if not all(callable(getattr(registry, method, None)) for method in ("all", "find", "search")):
            raise options.OptionError(
                f"SkillsAgentHook: {registry!r:.60} is no skill registry", hint="SkillRegistry(folder, ...)"
            )
        self.registry = registry
        self.auto_reload = auto_reload
        self.grouped_tools = dict(grouped_tools or {})
        self.resolver = resolver

    def model_interceptors(self) -> Sequence[SkillsInterceptor]:
        """A ring of its own at each call, as upstream has it."""
        return (SkillsInterceptor(self.registry, self.grouped_tools, self.resolver),)

    def tools(self) -> Sequence[Tool]:
        """The three tools."""
        return (tool(self.read_skill), tool(self.search_skills), tool(self.disable_skill))

    def before_agent(self, state: Mapping[str, Any], config: Any) -> Mapping[str, Any]:  # noqa: ARG002
        """Read the folders again, if that was asked for and the registry can."""
        reload = getattr(self.registry, "reload", None)
        if self.auto_reload and callable(reload):
            reload()
        return {}

    def read_skill(self, name: str = "", path: str = "") -> str:
        """Read the instructions of a skill, by its name or its folder.

        Args:
            name: the skill's name.
            path: the skill's folder.
        """
        if not name and not path:
            return "Error: name the skill, or give its path."
        skill = self.registry.find(name, path)
        if skill is not None:
            return skill.content()
        if name and path and (self.registry.find(name) or self.registry.find("", path)):
            return f"Error: {name} and {path} are not the same skill."
        return f"Error: there is no skill {name or path}."

    def search_skills(self, query: str) -> str:
        """Find skills by words.

        Args:
            query: the words.
        """
        found = self.registry.search(query)
        return "\n".join(f"- {skill.name}: {skill.description}" for skill in found) or "No skill was found."

    def disable_skill(self, name: str = "", path: str = "") -> str:
        """Take a skill off the list.

        Args:
            name: the skill's name.
            path: the skill's folder.
        """
        skill = self.registry.find(name, path)
        if skill is not None and self.registry.disable(skill.name):
            return f"The skill {skill.name} is off the list now."
        if name and self.registry.is_disabled(name):
            return f"The skill {name} was off the list already."
        return "Error: there is no such skill on the list."
