"""The weather agent on a real model: any server that speaks OpenAI's protocol. Needs the extra openai.

Set OPENAI_MODEL, and OPENAI_BASE_URL and OPENAI_API_KEY as your server asks for: for Ollama
OPENAI_BASE_URL=http://localhost:11434/v1 OPENAI_MODEL=qwen3, for DashScope its compatible-mode address.
"""

from hookstepper.agent import HumanInTheLoopHook, ModelCallLimitHook, OpenAIModel, ReactAgent, tool

SAMPLE_INPUT = (
    "What is the weather in Beijing and in Paris? Then remind me to take an umbrella if I need one."
)


@tool
def get_weather(city: str) -> str:
    """The weather in a city.

    Args:
        city: name of the city, in English.
    """
    return {"Beijing": "sunny, 25 °C", "Paris": "rain, 14 °C"}.get(city, "unknown")


@tool
def remind(text: str) -> str:
    """Set a reminder.

    Args:
        text: what to be reminded of.
    """
    return f"reminder set: {text}"


agent = ReactAgent(
    "assistant",
    OpenAIModel(stream=True),
    tools=[get_weather, remind],
    hooks=[ModelCallLimitHook(run_limit=6), HumanInTheLoopHook({"remind": "it changes your calendar"})],
    system_prompt="You are a short-spoken assistant.",
)
