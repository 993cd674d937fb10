"""Asks other models, one after another, when the agent's own fails."""

from __future__ import annotations

from collections.abc import Sequence

from hookstepper.agent import options
from hookstepper.agent.interceptors import ModelRequest, ModelResponse
from hookstepper.agent.model_node import STREAM_KEY
from hookstepper.agent.models.port import ChatModel, Prompt
from hookstepper.agent.stepwise import Ask, AskModel, SteppedModelInterceptor, Steps


class ModelFallbackInterceptor(SteppedModelInterceptor):
    """In upstream rules an answer that contains `Exception:` counts as a failure, fallbacks do not get the
    system message, and in a streaming run the agent's own model is never asked. Fixed rules only take a
    failure for one, and pass all on."""

    name = "ModelFallback"

    def __init__(self, *fallback_models: ChatModel | Sequence[ChatModel]) -> None:
        given = [model for item in fallback_models for model in options.several(item)]
        if not given:
            raise options.OptionError("a fallback needs at least one model")
        self.fallback_models: Sequence[ChatModel] = [
            options.chat_model(model, "ModelFallbackInterceptor") for model in given
        ]

    def steps(self, request: ModelRequest) -> Steps:
        """The first good answer.

        Raises:
            RuntimeError: no model gave one.
        """
        last: Exception | None = None
        if self.fixed or not request.context.get(STREAM_KEY):
            try:
                response: ModelResponse = yield Ask(request)
                if not self._is_failure(response):
                    return response
                last = RuntimeError(response.message.content)
            except Exception as error:
                last = error
        for model in self.fallback_models:
            try:
                reply = yield AskModel(model, self._prompt(request))
                made = ModelResponse(reply.message, reply.usage if self.fixed else None)
                if not self._is_failure(made):
                    return made
                last = RuntimeError(made.message.content)
            except Exception as error:
                last = error
        raise RuntimeError(
            f"all {len(self.fallback_models) + 1} models failed; the last one: {last}"
        ) from last

    def _is_failure(self, response: ModelResponse) -> bool:
        text = response.message.content
        return text.startswith("Exception: ") if self.fixed else "Exception:" in text

    def _prompt(self, request: ModelRequest) -> Prompt:
        system = request.system_message
        head = (system,) if self.fixed and system is not None else ()
        known = () if self.agent is None else self.agent.tools
        offered = tuple(tool for tool in known if not request.tools or tool.name in request.tools)
        return Prompt((*head, *request.messages), (*offered, *request.dynamic_tools), request.options)
