"""CodeAct for Microsoft's Agent Framework on Ampoule's isolates. The model follows a script: nothing is sent anywhere."""

import asyncio
import tempfile
from typing import Any

from agent_framework import Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer, FunctionTool, Message

import pyampoule
from pyampoule.adapters import agent_framework

SCRIPTS = ["import asyncio\nseen = await asyncio.gather(*(host.price(name=name) for name in ('tea', 'milk')))\nreturn seen", "return seen[0]"]


def price(name: str) -> float:
    """What a product costs."""
    return float(len(name))


class Scripted(FunctionInvocationLayer[Any], BaseChatClient[Any]):
    """A model that writes these scripts, one after the other, and then says what it was told."""

    left = list(SCRIPTS)

    async def _inner_get_response(self, *, messages: Any, stream: bool, options: Any, **_: Any) -> ChatResponse:  # type: ignore[override]
        assert [each.name for each in options["tools"]] == ["execute_code"]
        if self.left:
            call = Content.from_function_call(f"call-{len(self.left)}", "execute_code", arguments={"code": self.left.pop(0)})
            return ChatResponse(messages=[Message(role="assistant", contents=[call])])
        return ChatResponse(messages=[Message(role="assistant", contents=[str(messages[-1].contents[-1].result)])])


async def main(folder: str) -> None:
    with pyampoule.Runtime(sessions=folder) as runtime:
        provider = agent_framework.AmpouleCodeActProvider(runtime, tools=[price], session="conversation-1")
        agent: Any = Agent(Scripted(), context_providers=[provider])
        answer = await agent.run("What do tea and milk cost?")
        assert answer.text == "3.0" or answer.text == "3", answer.text
        # A tool that always asks is for the agent itself.
        asks = FunctionTool(name="refund", description="Pays back.", func=price, approval_mode="always_require")
        try:
            agent_framework.AmpouleCodeActProvider(runtime, tools=[asks])
            raise AssertionError("code can't ask")
        except ValueError as error:
            assert "always requires approval" in str(error)


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(folder))
print("Microsoft Agent Framework: ok")
