"""Code mode for CrewAI: a tool of its agents. The model follows a script: nothing is sent anywhere."""

import os

os.environ |= {"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true", "CREWAI_TRACING_ENABLED": "false"}

import json
from typing import Any

from crewai import Agent, BaseLLM

import pyampoule
from pyampoule.adapters import crewai

SCRIPT = "const prices = await Promise.all(['tea', 'milk'].map((name) => host.price({ name }))); return prices"


asked: list[str] = []


@pyampoule.tool
def price(name: str) -> float:
    """What a product costs."""
    return float(len(name))


class Scripted(BaseLLM):
    """A model that writes a script, and then says what it was told."""

    def call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
        asked.append(str(messages))
        if len(asked) == 1:
            action = json.dumps({"code": SCRIPT})
            return f"Thought: I need a script.\nAction: run_code\nAction Input: {action}"
        return f"Thought: I now know the final answer\nFinal Answer: {'[3, 4]' in asked[-1]}"

    def supports_function_calling(self) -> bool:
        return False


with pyampoule.Runtime() as runtime:
    code = pyampoule.CodeTool(runtime, [price], limits=pyampoule.Limits(wall_time=20))
    tool = crewai.tool(code)
    assert tool.run(code=SCRIPT) == "[3, 4]"
    assert "price" in tool.description
    agent = Agent(role="Clerk", goal="Know prices.", backstory="In a shop.", llm=Scripted(model="scripted"), tools=[tool])
    result: Any = agent.kickoff("What do tea and milk cost?")
    # The model read what the script returned.
    assert result.raw == "True", asked
print("CrewAI: ok")
os._exit(0)
