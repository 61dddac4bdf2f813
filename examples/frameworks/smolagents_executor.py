"""smolagents' `CodeAgent` with Ampoule as its executor: code calls tools as functions, finds what earlier steps left, and can't
leave its isolate. The model follows a script: nothing is sent anywhere."""

import tempfile
from typing import Any

from smolagents import CodeAgent, tool
from smolagents.models import ChatMessage, MessageRole, Model

import pyampoule
from pyampoule.adapters import smolagents

STEPS = [
    "prices = [price(name) for name in ['tea', 'milk']]\nprint('two prices')\nsum(prices)",
    "import os\nos.listdir('/etc')",
    "final_answer(sum(prices) + bonus)",
]
told: list[str] = []


@tool
def price(name: str) -> float:
    """What a product costs.

    Args:
        name: The product.
    """
    return float(len(name))


class Scripted(Model):
    """A model that writes these steps, one after the other."""

    def generate(self, messages: Any, **_: Any) -> ChatMessage:
        told.append(str(messages[-1].content))
        step = STEPS[min(len(told), len(STEPS)) - 1]
        return ChatMessage(MessageRole.ASSISTANT, f"Thought: next.\n<code>\n{step}\n</code>")


with tempfile.TemporaryDirectory() as folder, pyampoule.Runtime(sessions=folder) as runtime:
    executor = smolagents.Executor(runtime, limits=pyampoule.Limits(wall_time=20))
    agent = CodeAgent(tools=[price], model=Scripted(), executor=executor, max_steps=5, verbosity_level=0)
    assert agent.run("What do tea and milk cost?", additional_args={"bonus": 0.5}) == 7.5
    # The model read what the first step printed and came to, and why the second failed.
    assert "two prices" in told[1] and "7" in told[1], told[1]
    assert "FileNotFoundError" in told[2] or "PermissionError" in told[2], told[2]
print("smolagents: ok")
