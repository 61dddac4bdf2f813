"""Programmatic tool calling with Anthropic's SDK, from the client's own sandbox: the model writes code, and Ampoule runs it here
in place of the service's container. The service's part follows a script: nothing is sent anywhere."""

import asyncio
import json
from typing import Any

import httpx2
from anthropic import AsyncAnthropic

import pyampoule
from pyampoule.adapters import anthropic

SCRIPT = "prices = [await host.price(name=name) for name in ('tea', 'milk')]\nprint(len(prices), 'prices')\nreturn sum(prices)"
asked: list[Any] = []


@pyampoule.tool
def price(name: str) -> float:
    """What a product costs."""
    return float(len(name))


def service(request: httpx2.Request) -> httpx2.Response:
    """The service: the model asks for code to be run, and then reads what came of it."""
    asked.append(json.loads(request.content))
    content: Any = {"type": "tool_use", "id": "t", "name": "run_code", "input": {"code": SCRIPT}}
    if len(asked) > 1:
        (result,) = asked[-1]["messages"][-1]["content"]
        content = {"type": "text", "text": f"I read: {result['content']}"}
    stop = "tool_use" if len(asked) == 1 else "end_turn"
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [content], "usage": usage}
    return httpx2.Response(200, json=message | {"stop_reason": stop, "stop_sequence": None})


async def main() -> None:
    transport = httpx2.MockTransport(service)
    client = AsyncAnthropic(api_key="none", http_client=httpx2.AsyncClient(transport=transport))
    with pyampoule.Runtime() as runtime:
        code = pyampoule.CodeTool(runtime, [price], language="python", limits=pyampoule.Limits(wall_time=20))
        runner = client.beta.messages.tool_runner(
            model="m",
            max_tokens=1000,
            messages=[{"role": "user", "content": "What do tea and milk cost together?"}],
            tools=[anthropic.tool(code)],
        )
        last: Any = await runner.until_done()
    assert last.content[0].text == "I read: 2 prices\n7.0", last.content
    # The model saw one tool, whose description declares the others.
    (offered,) = asked[0]["tools"]
    assert "def price(" in offered["description"]


asyncio.run(main())
print("Anthropic: ok")
