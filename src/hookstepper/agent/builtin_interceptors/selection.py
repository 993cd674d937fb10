"""Lets a model choose which tools the agent's model is offered."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from hookstepper.agent import options
from hookstepper.agent.builtin.pii import java_hash
from hookstepper.agent.interceptors import ModelRequest
from hookstepper.agent.messages import SystemMessage, UserMessage, last_user
from hookstepper.agent.models.port import ChatModel, Prompt
from hookstepper.agent.stepwise import Ask, AskModel, SteppedModelInterceptor, Steps

SYSTEM = 'Choose the tools that help with the request. Answer with JSON only: {"tools": ["name", ...]}'


class ToolSelectionInterceptor(SteppedModelInterceptor):
    """Works when there are more tools than `max_tools` and somebody asked something.

    An answer that cannot be read selects nothing beside `always_include`, and an empty selection means all
    tools to the model node. In upstream rules the selection is cut to `max_tools` in the order of a Java
    hash set, which may cost tools of `always_include`; fixed rules cut the model's choices only.
    """

    name = "ToolSelection"

    def __init__(
        self,
        model: ChatModel,
        *,
        max_tools: int | None = None,
        always_include: Sequence[str] = (),
        system_prompt: str = SYSTEM,
    ) -> None:
        options.number(max_tools, "ToolSelectionInterceptor: max_tools", least=1, none=True)
        self.model = options.chat_model(model, "ToolSelectionInterceptor: model")
        self.max_tools = max_tools
        self.always_include = options.names(always_include, "ToolSelectionInterceptor: always_include")
        self.system_prompt = system_prompt

    def steps(self, request: ModelRequest) -> Steps:
        """Ask with the chosen tools; with all of them if the choice fails."""
        asked = last_user(request.messages)
        too_few = self.max_tools is not None and len(request.tools) <= self.max_tools
        if not request.tools or too_few or asked is None:
            response = yield Ask(request)
            return response
        listing = "\n".join(f"- {name}: {request.tool_descriptions.get(name, '')}" for name in request.tools)
        prompt = Prompt(
            (SystemMessage(self.system_prompt), UserMessage(f"{asked.content}\n\nTools:\n{listing}"))
        )
        try:
            reply = yield AskModel(self.model, prompt)
        except Exception:
            response = yield Ask(request)
            return response
        names = self._cut(chosen(reply.message.content))
        response = yield Ask(request.with_(tools=tuple(name for name in request.tools if name in names)))
        return response

    def _cut(self, names: Sequence[str]) -> list[str]:
        wanted = list(dict.fromkeys([*names, *self.always_include]))
        if self.max_tools is None or len(wanted) <= self.max_tools:
            return wanted
        if self.fixed:
            room = max(self.max_tools - len(self.always_include), 0)
            free = [name for name in wanted if name not in self.always_include]
            return [*self.always_include, *free[:room]]
        return hash_set_order(wanted)[: self.max_tools]


def chosen(text: str) -> list[str]:
    """The names in an answer such as `{"tools": ["a"]}`, also inside a code block; none if it is not one."""
    match = re.search(r"\{.*\}", text, re.DOTALL)
    try:
        names = json.loads(match[0])["tools"] if match else []
    except (ValueError, KeyError, TypeError):
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def hash_set_order(names: Sequence[str]) -> list[str]:
    """The order in which Java's HashSet gives back texts that were put in one by one.

    Source: java.util.HashMap: table of a power of two, 16 or more, filled to three quarters; bucket is
    (h ^ h >>> 16) & (size - 1); inside a bucket in the order of insertion.
    """
    size = 16
    while len(names) > size * 3 // 4:
        size *= 2

    def bucket(name: str) -> int:
        spread = java_hash(name)
        return (spread ^ spread >> 16) & (size - 1)

    return sorted(names, key=bucket)
