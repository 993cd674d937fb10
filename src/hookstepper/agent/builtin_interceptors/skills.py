"""Tells the model which skills there are, and offers the tools of those that it has read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.messages import AssistantMessage, Message, ToolCall
from hookstepper.agent.skills import Skill, SkillRegistry
from hookstepper.agent.stepwise import RequestInterceptor
from hookstepper.agent.tools import Tool

GUIDANCE = "Skills are instructions for kinds of work. Before such work, read the skill with read_skill:"


class SkillsInterceptor(RequestInterceptor):
    """Without skills the request passes unchanged. Tools that it offers live in the run: after an approval
    has been answered they are gone until the model is asked again, in upstream rules; fixed rules find them
    again."""

    def __init__(
        self,
        registry: SkillRegistry,
        grouped_tools: Mapping[str, Sequence[Tool]] | None = None,
        resolver: Callable[[str], Tool | None] | Mapping[str, Tool] | None = None,
    ) -> None:
        self.registry = registry
        self.grouped_tools = dict(grouped_tools or {})
        self.resolver = resolver.get if isinstance(resolver, Mapping) else resolver

    def changed(self, request: ModelRequest) -> ModelRequest:
        """The list behind the system message, and the tools of skills that were read."""
        skills = self.registry.all()
        if not skills:
            return request
        tools = {tool.name: tool for tool in request.dynamic_tools}
        for tool in self.offered(request.messages):
            tools.setdefault(tool.name, tool)
        listing = "\n".join(f"- {skill.name}: {skill.description} ({skill.path})" for skill in skills)
        return request.with_(dynamic_tools=tuple(tools.values())).with_system_text(f"{GUIDANCE}\n{listing}")

    def offered(self, messages: Sequence[Message]) -> list[Tool]:
        """The tools of the skills that were read, in the order of reading."""
        return [
            tool
            for skill in self._read(messages)
            for tool in (*self.grouped_tools.get(skill.name, ()), *self._allowed(skill))
        ]

    def _read(self, messages: Sequence[Message]) -> list[Skill]:
        """Skills that the model has asked to read, each once."""
        found: dict[str, Skill] = {}
        for message in messages:
            for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
                skill = self._skill_of(call) if call.name == "read_skill" else None
                if skill is not None:
                    found.setdefault(skill.name, skill)
        return list(found.values())

    def _skill_of(self, call: ToolCall) -> Skill | None:
        try:
            arguments = json.loads(call.arguments)
            return self.registry.find(str(arguments.get("name", "")), str(arguments.get("path", "")))
        except (ValueError, AttributeError):
            return None

    def _allowed(self, skill: Skill) -> list[Tool]:
        if self.resolver is None:
            return []
        return [tool for name in skill.allowed_tools if (tool := self.resolver(name)) is not None]
