"""The agent builder: Spring AI Alibaba's ReactAgent for Python; all that a user needs is named here."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hookstepper.agent.builder import Builder
from hookstepper.agent.builtin.hitl import HumanInTheLoopHook, ToolConfig
from hookstepper.agent.builtin.instruction import InstructionAgentHook
from hookstepper.agent.builtin.interruption import InterruptionHook
from hookstepper.agent.builtin.limits import (
    ExitBehavior,
    LimitExceededError,
    ModelCallLimitExceededError,
    ModelCallLimitHook,
    ToolCallLimitExceededError,
    ToolCallLimitHook,
)
from hookstepper.agent.builtin.pii import (
    PIIDetectionError,
    PIIDetectionHook,
    PIIMatch,
    PIIType,
    RedactionStrategy,
    regex_detector,
)
from hookstepper.agent.builtin.return_direct import ReturnDirectModelHook
from hookstepper.agent.builtin.shell import ShellTool, ShellToolAgentHook
from hookstepper.agent.builtin.skills import SkillsAgentHook
from hookstepper.agent.builtin.summarization import SummarizationHook
from hookstepper.agent.builtin_interceptors.context_editing import ContextEditingInterceptor
from hookstepper.agent.builtin_interceptors.emulator import ToolEmulatorInterceptor
from hookstepper.agent.builtin_interceptors.eviction import LargeResultEvictionInterceptor
from hookstepper.agent.builtin_interceptors.fallback import ModelFallbackInterceptor
from hookstepper.agent.builtin_interceptors.filesystem import FilesystemInterceptor
from hookstepper.agent.builtin_interceptors.patch_tool_calls import PatchToolCallsInterceptor
from hookstepper.agent.builtin_interceptors.retries import (
    ModelRetryInterceptor,
    OnFailure,
    ToolErrorInterceptor,
    ToolRetryInterceptor,
)
from hookstepper.agent.builtin_interceptors.sanitizer import AssistantMessageSanitizer
from hookstepper.agent.builtin_interceptors.selection import ToolSelectionInterceptor
from hookstepper.agent.builtin_interceptors.skills import SkillsInterceptor
from hookstepper.agent.builtin_interceptors.sub_agents import SubAgentInterceptor, SubAgentSpec
from hookstepper.agent.builtin_interceptors.todo_list import TodoListInterceptor
from hookstepper.agent.flow import LlmRoutingAgent, LoopAgent, ParallelAgent, SequentialAgent
from hookstepper.agent.flow.loop import EachItem, Times, Until
from hookstepper.agent.function_hooks import after_agent, after_model, before_agent, before_model
from hookstepper.agent.function_rings import wrap_model_call, wrap_tool_call
from hookstepper.agent.hooks import (
    AgentCommand,
    AgentHook,
    Hook,
    HookPosition,
    JumpTo,
    MessagesAgentHook,
    MessagesModelHook,
    ModelHook,
    ToolInjection,
    UpdatePolicy,
    hook_positions,
)
from hookstepper.agent.interceptors import (
    Interceptor,
    ModelInterceptor,
    ModelRequest,
    ModelResponse,
    ToolCallRequest,
    ToolCallResponse,
    ToolInterceptor,
)
from hookstepper.agent.messages import (
    AgentInstructionMessage,
    AssistantMessage,
    Media,
    Message,
    SystemMessage,
    ToolCall,
    ToolResponse,
    ToolResponseMessage,
    UserMessage,
)
from hookstepper.agent.models import ChatChunk, ChatModel, ChatReply, Prompt, ScriptedModel
from hookstepper.agent.react_agent import ReactAgent
from hookstepper.agent.running import AgentError
from hookstepper.agent.skills import SkillRegistry
from hookstepper.agent.streaming import StreamingModelInterceptor
from hookstepper.agent.tool_node import ToolExecutionError
from hookstepper.agent.tools import Tool, ToolContext, ToolProvider, method_tools, tool
from hookstepper.engine.checkpoints import MemorySaver
from hookstepper.engine.config import CompileConfig, RunConfig
from hookstepper.engine.graph import END, START, StateGraph
from hookstepper.engine.outputs import Interruption, ToolFeedback
from hookstepper.engine.sqlite import SqliteSaver
from hookstepper.engine.strategies import (
    APPEND,
    APPEND_UNIQUE,
    MARK_FOR_REMOVAL,
    MERGE,
    REPLACE,
    RemoveByHash,
    ReplaceAllWith,
)

if TYPE_CHECKING:
    from hookstepper.agent.models.langchain import LangChainModel
    from hookstepper.agent.models.openai import OpenAIModel

_LATER = {
    "LangChainModel": "hookstepper.agent.models.langchain",
    "OpenAIModel": "hookstepper.agent.models.openai",
}
"""Names that are loaded when they are first used: few programs need them."""


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "APPEND",
    "APPEND_UNIQUE",
    "END",
    "MARK_FOR_REMOVAL",
    "MERGE",
    "REPLACE",
    "START",
    "AgentCommand",
    "AgentError",
    "AgentHook",
    "AgentInstructionMessage",
    "AssistantMessage",
    "AssistantMessageSanitizer",
    "Builder",
    "ChatChunk",
    "ChatModel",
    "ChatReply",
    "CompileConfig",
    "ContextEditingInterceptor",
    "EachItem",
    "ExitBehavior",
    "FilesystemInterceptor",
    "Hook",
    "HookPosition",
    "HumanInTheLoopHook",
    "InstructionAgentHook",
    "Interceptor",
    "Interruption",
    "InterruptionHook",
    "JumpTo",
    "LangChainModel",
    "LargeResultEvictionInterceptor",
    "LimitExceededError",
    "LlmRoutingAgent",
    "LoopAgent",
    "Media",
    "MemorySaver",
    "Message",
    "MessagesAgentHook",
    "MessagesModelHook",
    "ModelCallLimitExceededError",
    "ModelCallLimitHook",
    "ModelFallbackInterceptor",
    "ModelHook",
    "ModelInterceptor",
    "ModelRequest",
    "ModelResponse",
    "ModelRetryInterceptor",
    "OnFailure",
    "OpenAIModel",
    "PIIDetectionError",
    "PIIDetectionHook",
    "PIIMatch",
    "PIIType",
    "ParallelAgent",
    "PatchToolCallsInterceptor",
    "Prompt",
    "ReactAgent",
    "RedactionStrategy",
    "RemoveByHash",
    "ReplaceAllWith",
    "ReturnDirectModelHook",
    "RunConfig",
    "ScriptedModel",
    "SequentialAgent",
    "ShellTool",
    "ShellToolAgentHook",
    "SkillRegistry",
    "SkillsAgentHook",
    "SkillsInterceptor",
    "SqliteSaver",
    "StateGraph",
    "StreamingModelInterceptor",
    "SubAgentInterceptor",
    "SubAgentSpec",
    "SummarizationHook",
    "SystemMessage",
    "Times",
    "TodoListInterceptor",
    "Tool",
    "ToolCall",
    "ToolCallLimitExceededError",
    "ToolCallLimitHook",
    "ToolCallRequest",
    "ToolCallResponse",
    "ToolConfig",
    "ToolContext",
    "ToolEmulatorInterceptor",
    "ToolErrorInterceptor",
    "ToolExecutionError",
    "ToolFeedback",
    "ToolInjection",
    "ToolInterceptor",
    "ToolProvider",
    "ToolResponse",
    "ToolResponseMessage",
    "ToolRetryInterceptor",
    "ToolSelectionInterceptor",
    "Until",
    "UpdatePolicy",
    "UserMessage",
    "after_agent",
    "after_model",
    "before_agent",
    "before_model",
    "hook_positions",
    "method_tools",
    "regex_detector",
    "tool",
    "wrap_model_call",
    "wrap_tool_call",
]
