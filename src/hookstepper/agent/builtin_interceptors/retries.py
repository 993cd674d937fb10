"""Calls again what failed: a model, or a tool."""

from __future__ import annotations

import enum
import random
from collections.abc import Callable, Sequence

from hookstepper.agent import options
from hookstepper.agent.interceptors import (
    SUCCESS,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
    ToolCallResponse,
)
from hookstepper.agent.model_node import BrokenStreamError
from hookstepper.agent.stepwise import Ask, SteppedModelInterceptor, SteppedToolInterceptor, Steps, Wait

_NETWORK_WORDS = ("i/o error", "remote host terminated", "connection", "timeout", "handshake", "socket")
_NETWORK_TYPES = ("timeout", "connect", "ioerror", "oserror", "socket", "ssl")


def is_network_error(error: BaseException) -> bool:
    """True if the error, or one that it came from, looks like a fault of the network."""
    seen: BaseException | None = error
    for _ in range(10):
        if seen is None:
            return False
        text, kind = str(seen).lower(), type(seen).__name__.lower()
        if any(word in text for word in _NETWORK_WORDS) or any(word in kind for word in _NETWORK_TYPES):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


class ModelRetryInterceptor(SteppedModelInterceptor):
    """Asks the model again after an error that may pass, with growing pauses.

    Args:
        max_attempts: calls in all.
        initial_delay: seconds before the second call; times `multiplier` after each, at most `max_delay`.
        retry_on: says which errors may pass; by default those of the network.
    """

    name = "ModelRetry"

    def __init__(
        self,
        *,
        max_attempts: int = 3,
        initial_delay: float = 1.0,
        max_delay: float = 30.0,
        multiplier: float = 2.0,
        retry_on: Callable[[BaseException], bool] = is_network_error,
    ) -> None:
        where = type(self).__name__
        options.number(max_attempts, f"{where}: max_attempts", least=1)
        options.number(initial_delay, f"{where}: initial_delay", whole=False)
        options.number(max_delay, f"{where}: max_delay", least=initial_delay, whole=False)
        options.number(multiplier, f"{where}: multiplier", least=1, whole=False)
        options.function(retry_on, f"{where}: retry_on")
        self.max_attempts = max_attempts
        self.initial_delay = initial_delay
        self.max_delay = max_delay
        self.multiplier = multiplier
        self.retry_on = retry_on

    def steps(self, request: ModelRequest) -> Steps:
        """The first good answer. A text that tells of an error which will not pass is given back as it is,
        but not from the last attempt: that fails, as upstream does.

        Raises:
            RuntimeError: an error that will not pass, or no attempt left.
        """
        delay = self.initial_delay
        for attempt in range(1, self.max_attempts + 1):
            last = attempt == self.max_attempts
            try:
                response: ModelResponse = yield Ask(request)
                text = response.message.content
                failed = text.startswith("Exception:")
                if not failed or (not last and not self._text_may_pass(text)):
                    return response
                if last and self.fixed and not self._text_may_pass(text):
                    return response
                error: Exception = RuntimeError(text)
            except BrokenStreamError:
                raise
            except Exception as raised:
                if not self.retry_on(raised):
                    raise RuntimeError(
                        f"the model failed, and another try would not help: {raised}"
                    ) from raised
                error = raised
            if last:
                raise RuntimeError(
                    f"the model failed in {self.max_attempts} attempts; the last time: {error}"
                ) from error
            yield Wait(delay)
            delay = min(delay * self.multiplier, self.max_delay)
        raise AssertionError

    def _text_may_pass(self, text: str) -> bool:
        low = text.lower()
        return "network" in low or any(word in low for word in _NETWORK_WORDS)


class OnFailure(enum.Enum):
    """What a tool retry does when all attempts have failed."""

    RETURN_MESSAGE = "RETURN_MESSAGE"
    RAISE = "RAISE"


class ToolRetryInterceptor(SteppedToolInterceptor):
    """Calls a tool again. In upstream rules every status but SUCCESS counts as a failure, None too, so a
    result that a ring inside made, or one from `ToolExecutionError`, is tried again; fixed rules only
    take `error` for one.

    Args:
        tools: names of the tools that are tried again; empty: all.
        retry_on: says which exceptions are; responses are judged by their status.
        jitter: whether pauses vary by a quarter.
    """

    name = "ToolRetry"

    def __init__(
        self,
        *,
        max_attempts: int = 3,
        tools: Sequence[str] = (),
        retry_on: Callable[[BaseException], bool] = lambda error: True,  # noqa: ARG005
        on_failure: OnFailure | str = OnFailure.RETURN_MESSAGE,
        error_text: Callable[[int, str], str] | None = None,
        initial_delay: float = 1.0,
        backoff_factor: float = 2.0,
        max_delay: float = 60.0,
        jitter: bool = True,
        random_source: Callable[[], float] = random.random,
    ) -> None:
        where = type(self).__name__
        options.number(max_attempts, f"{where}: max_attempts", least=1)
        for seconds, option in ((initial_delay, "initial_delay"), (max_delay, "max_delay")):
            options.number(seconds, f"{where}: {option}", whole=False)
        options.number(backoff_factor, f"{where}: backoff_factor", whole=False)
        options.function(retry_on, f"{where}: retry_on")
        self.max_attempts = max_attempts
        self.tools = frozenset(options.names(tools, f"{where}: tools"))
        self.retry_on = retry_on
        self.on_failure = options.member(OnFailure, on_failure, f"{where}: on_failure")
        self.error_text = error_text
        self.initial_delay = initial_delay
        self.backoff_factor = backoff_factor
        self.max_delay = max_delay
        self.jitter = jitter
        self.random = random_source

    def steps(self, request: ToolCallRequest) -> Steps:
        """The first good result, or what became of the last attempt.

        Raises:
            RuntimeError: all attempts failed and `on_failure` is RAISE.
        """
        if self.tools and request.name not in self.tools:
            response = yield Ask(request)
            return response
        problem = ""
        cause: Exception | None = None
        for attempt in range(self.max_attempts):
            try:
                response = yield Ask(request)
                if not self._is_failure(response):
                    return response
                problem, cause = response.result or "", None
            except Exception as error:
                if not self.retry_on(error):
                    raise
                problem, cause = str(error), error
            if attempt + 1 < self.max_attempts:
                yield Wait(self.delay(attempt))
        if self.on_failure is OnFailure.RAISE:
            raise RuntimeError(f"{request.name} failed in {self.max_attempts} attempts: {problem}") from cause
        text = (
            self.error_text(self.max_attempts, problem)
            if self.error_text
            else f"{request.name} failed in {self.max_attempts} attempts: {problem}"
        )
        return ToolCallResponse(text, request.name, request.id, None)

    def _is_failure(self, response: ToolCallResponse) -> bool:
        return response.status == "error" if self.fixed else response.status != SUCCESS

    def delay(self, attempt: int) -> float:
        """Seconds to wait after an attempt, counted from 0."""
        seconds = min(self.initial_delay * self.backoff_factor**attempt, self.max_delay)
        return seconds * (0.75 + self.random() / 2) if self.jitter else seconds


class ToolErrorInterceptor(SteppedToolInterceptor):
    """Turns what a ring inside of it raises into a result for the model. What tools raise is one already."""

    name = "ToolError"

    def steps(self, request: ToolCallRequest) -> Steps:
        """The result, or the text of the error."""
        try:
            response = yield Ask(request)
        except Exception as error:
            return ToolCallResponse(f"The tool failed: {error}", request.name, request.id, "error")
        return response
