"""Agents made of agents: one after another, side by side, in a loop, or chosen by a model."""

from hookstepper.agent.flow.base import FlowAgent
from hookstepper.agent.flow.loop import LoopAgent
from hookstepper.agent.flow.parallel import ParallelAgent
from hookstepper.agent.flow.routing import LlmRoutingAgent
from hookstepper.agent.flow.sequential import SequentialAgent

__all__ = ["FlowAgent", "LlmRoutingAgent", "LoopAgent", "ParallelAgent", "SequentialAgent"]
