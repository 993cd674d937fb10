"""The graph engine: state graphs, their compilation, the run loop and checkpoints."""

from hookstepper.engine.actions import Command, Decision, InterruptableAction, NodeMeta
from hookstepper.engine.checkpoints import Checkpoint, MemorySaver, Saver, Tag, VersionedMemorySaver
from hookstepper.engine.clone import share
from hookstepper.engine.config import CompileConfig, RunConfig
from hookstepper.engine.driver import Driver, adrive, drive
from hookstepper.engine.effects import (
    Branches,
    Call,
    Effects,
    Emit,
    Ended,
    Here,
    Pass,
    Tell,
    effectful,
    gated,
)
from hookstepper.engine.errors import GraphSpecError, RouteError, RunError
from hookstepper.engine.graph import StateGraph
from hookstepper.engine.listeners import Listener
from hookstepper.engine.outputs import (
    Interruption,
    NodeOutput,
    Output,
    RunResult,
    StateSnapshot,
    StreamingOutput,
    ToolFeedback,
)
from hookstepper.engine.run import CompiledGraph
from hookstepper.engine.scope import Scope
from hookstepper.engine.state import State
from hookstepper.engine.strategies import (
    APPEND,
    APPEND_UNIQUE,
    MARK_FOR_REMOVAL,
    MERGE,
    REPLACE,
    KeyStrategy,
    RemoveByHash,
    RemoveIdentifier,
    ReplaceAllWith,
)
from hookstepper.model.ids import END, START

__all__ = [
    "APPEND",
    "APPEND_UNIQUE",
    "END",
    "MARK_FOR_REMOVAL",
    "MERGE",
    "REPLACE",
    "START",
    "Branches",
    "Call",
    "Checkpoint",
    "Command",
    "CompileConfig",
    "CompiledGraph",
    "Decision",
    "Driver",
    "Effects",
    "Emit",
    "Ended",
    "GraphSpecError",
    "Here",
    "InterruptableAction",
    "Interruption",
    "KeyStrategy",
    "Listener",
    "MemorySaver",
    "NodeMeta",
    "NodeOutput",
    "Output",
    "Pass",
    "RemoveByHash",
    "RemoveIdentifier",
    "ReplaceAllWith",
    "RouteError",
    "RunConfig",
    "RunError",
    "RunResult",
    "Saver",
    "Scope",
    "State",
    "StateGraph",
    "StateSnapshot",
    "StreamingOutput",
    "Tag",
    "Tell",
    "ToolFeedback",
    "VersionedMemorySaver",
    "adrive",
    "drive",
    "effectful",
    "gated",
    "share",
]
