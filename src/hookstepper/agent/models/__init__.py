"""Chat models behind one port: scripted, OpenAI-compatible, LangChain."""

from hookstepper.agent.models.port import ChatChunk, ChatModel, ChatReply, Prompt
from hookstepper.agent.models.scripted import ScriptedModel

__all__ = ["ChatChunk", "ChatModel", "ChatReply", "Prompt", "ScriptedModel"]
