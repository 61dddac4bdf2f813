"""Code mode for LlamaIndex: what its `CodeActAgent` runs code with, and a tool of its other agents. The model follows a script:
nothing is sent anywhere."""

import asyncio
from typing import Any

from llama_index.core.agent.workflow import CodeActAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.llms.mock import MockLLM

import pyampoule
from pyampoule.adapters import llama_index

SCRIPT = "prices = [await host.price(name=name) for name in ('tea', 'milk')]\nreturn sum(prices)"
asked: list[str] = []


@pyampoule.tool
def price(name: str) -> float:
    """What a product costs."""
    return float(len(name))


class Scripted(MockLLM):
    """A model that writes a script, and then says what it was told."""

    async def achat(self, messages: Any, **kwargs: Any) -> ChatResponse:
        asked.append(str(messages[-1].content))
        text = f"<execute>\n{SCRIPT}\n</execute>" if len(asked) == 1 else f"They cost {'7.0' in asked[-1]}."
        return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, content=text))


async def main() -> None:
    with pyampoule.Runtime() as runtime:
        code = pyampoule.CodeTool(runtime, [price], language="python", limits=pyampoule.Limits(wall_time=20))
        agent = CodeActAgent(
            code_execute_fn=llama_index.code_execute_fn(code),
            tools=[],
            llm=Scripted(),
            system_prompt=code.description,
            streaming=False,
        )
        answer = await agent.run("What do tea and milk cost together?")
        assert "They cost True." in str(answer), asked
        # The same as a tool of any agent.
        tool = llama_index.tool(code)
        assert str((await tool.acall(code=SCRIPT)).raw_output) == "7.0"
        assert "def price(" in str(tool.metadata.description)


asyncio.run(main())
print("LlamaIndex: ok")
