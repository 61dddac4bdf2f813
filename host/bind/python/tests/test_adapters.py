"""The adapters, each with the real package and a model that follows a script: no network."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

import pyampoule

CODE = "const { sum } = await host.add({ a: 40, b: 2 }); console.log('adding'); return sum"
TOLD = "adding\n42"


@pyampoule.tool
async def add(a: int, b: int) -> dict[str, int]:
    """Adds two numbers."""
    await asyncio.sleep(0)
    return {"sum": a + b}


@pytest.fixture
def code(runtime: pyampoule.Runtime) -> pyampoule.CodeTool:
    return pyampoule.CodeTool(runtime, [add], limits=pyampoule.Limits(wall_time=20))


def test_a_code_tool_declares_what_code_may_call(code: pyampoule.CodeTool) -> None:
    assert "add(args: { a: number; b: number })" in code.description
    assert "Adds two numbers." in code.description
    assert "no network" in code.description
    # What is granted may make HTTP requests.
    assert "no network" not in pyampoule.CodeTool(code.runtime, [add], grant="*").description
    assert code.here(CODE) == TOLD
    assert asyncio.run(code("return 'text'")) == "text"
    assert "ToolError: host.add" in code.here("await host.add({ a: 'x', b: 1 })")
    assert code.here("let x") == "The code returned nothing."
    limited = pyampoule.CodeTool(code.runtime, limits=pyampoule.Limits(fuel=300_000_000))
    assert "The run hit the limit `fuel`: " in limited.here("for (;;) {}")


def test_pydantic_ai(code: pyampoule.CodeTool) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import AgentInfo, FunctionModel

    from pyampoule.adapters import pydantic_ai

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        (offered,) = info.function_tools
        assert (offered.name, offered.description) == (code.name, code.description)
        last = messages[-1].parts[-1]
        if last.part_kind == "tool-return":
            return ModelResponse(parts=[TextPart(f"it is {last.content}")])
        return ModelResponse(parts=[ToolCallPart(code.name, {"code": CODE})])

    agent = Agent(FunctionModel(model), tools=[pydantic_ai.tool(code)])
    assert agent.run_sync("what is 40 + 2?").output == f"it is {TOLD}"


def test_langchain(code: pyampoule.CodeTool) -> None:
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    from pyampoule.adapters import langchain

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools: Any, **_: Any) -> Any:
            assert [each.name for each in tools] == [code.name]
            return self

    def script() -> Iterator[AIMessage]:
        call = {"name": code.name, "args": {"code": CODE}, "id": "1"}
        yield AIMessage("", tool_calls=[call])
        yield AIMessage("it is so")

    agent = create_agent(Scripted(messages=script()), tools=[langchain.tool(code)])
    asked: Any = {"messages": [("user", "what is 40 + 2?")]}
    told = agent.invoke(asked)["messages"]
    assert [message.content for message in told[2:]] == [TOLD, "it is so"]
    agent = create_agent(Scripted(messages=script()), tools=[langchain.tool(code)])
    told = asyncio.run(agent.ainvoke(asked))["messages"]
    assert told[2].content == TOLD

    @tool
    def multiply(a: int, b: int) -> int:
        """Multiplies two numbers."""
        return a * b

    (given,) = langchain.tools([multiply])
    assert given.description == "Multiplies two numbers."
    product = code.runtime.run("return await host.multiply({ a: 6, b: 7 })", tools=[given])
    assert product.result() == 42


def answering(answers: list[dict[str, Any]], asked: list[dict[str, Any]]) -> httpx2.MockTransport:
    """A server that gives these answers, one after the other."""
    left = iter(answers)

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(json.loads(request.content))
        return httpx2.Response(200, json=next(left))

    return httpx2.MockTransport(answer)


def test_openai_responses(code: pyampoule.CodeTool) -> None:
    from openai import AsyncOpenAI

    from pyampoule.adapters import openai

    def response(output: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": "r",
            "object": "response",
            "created_at": 0,
            "model": "m",
            "output": [output],
            "parallel_tool_calls": False,
            "tool_choice": "auto",
            "tools": [],
        }

    call = {"type": "function_call", "id": "f", "call_id": "c", "name": code.name, "arguments": json.dumps({"code": CODE})}
    text = {"type": "output_text", "text": "it is so", "annotations": []}
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [text]}
    asked: list[dict[str, Any]] = []
    transport = answering([response(call), response(message)], asked)

    async def loop() -> str:
        client = AsyncOpenAI(api_key="none", http_client=httpx2.AsyncClient(transport=transport))
        given: list[Any] = [{"role": "user", "content": "what is 40 + 2?"}]
        while True:
            told = await client.responses.create(model="m", input=given, tools=[openai.responses_tool(code)])
            answers = await openai.answers(code, told)
            if not answers:
                return told.output_text
            given += [*told.output, *answers]

    assert asyncio.run(loop()) == "it is so"
    assert asked[1]["input"][-1] == {"type": "function_call_output", "call_id": "c", "output": TOLD}
    assert asked[0]["tools"][0]["parameters"] == code.input_schema


def test_openai_chat(code: pyampoule.CodeTool) -> None:
    from openai import AsyncOpenAI

    from pyampoule.adapters import openai

    def completion(message: dict[str, Any]) -> dict[str, Any]:
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": None} | message}
        return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}

    calls = [
        {"id": id, "type": "function", "function": {"name": code.name, "arguments": arguments}}
        for id, arguments in (("1", json.dumps({"code": CODE})), ("2", "{"))
    ]
    asked: list[dict[str, Any]] = []
    transport = answering([completion({"tool_calls": calls}), completion({"content": "it is so"})], asked)

    async def loop() -> Any:
        client = AsyncOpenAI(api_key="none", http_client=httpx2.AsyncClient(transport=transport))
        messages: list[Any] = [{"role": "user", "content": "what is 40 + 2?"}]
        while True:
            told = await client.chat.completions.create(model="m", messages=messages, tools=[openai.chat_tool(code)])
            message = told.choices[0].message
            answers = await openai.chat_answers(code, message)
            if not answers:
                return message.content
            messages += [message, *answers]

    assert asyncio.run(loop()) == "it is so"
    answers = [message["content"] for message in asked[1]["messages"] if message["role"] == "tool"]
    assert answers == [TOLD, 'The arguments must be {"code": "…"}.']


@pytest.mark.parametrize("is_async", [False, True])
def test_anthropic(code: pyampoule.CodeTool, is_async: bool) -> None:
    from anthropic import Anthropic, AsyncAnthropic

    from pyampoule.adapters import anthropic

    def message(content: dict[str, Any], stop: str) -> dict[str, Any]:
        return {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [content],
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }

    call = {"type": "tool_use", "id": "t", "name": code.name, "input": {"code": CODE}}
    text = {"type": "text", "text": "it is so"}
    asked: list[dict[str, Any]] = []
    transport = answering([message(call, "tool_use"), message(text, "end_turn")], asked)
    given: dict[str, Any] = {
        "model": "m",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "what is 40 + 2?"}],
    }

    def ran_here() -> Any:
        client = Anthropic(api_key="none", http_client=httpx2.Client(transport=transport))
        return client.beta.messages.tool_runner(tools=[anthropic.tool_here(code)], **given).until_done()

    async def ran() -> Any:
        client = AsyncAnthropic(api_key="none", http_client=httpx2.AsyncClient(transport=transport))
        return await client.beta.messages.tool_runner(tools=[anthropic.tool(code)], **given).until_done()

    last = asyncio.run(ran()) if is_async else ran_here()
    assert last.content[0].text == "it is so"
    (result,) = asked[1]["messages"][-1]["content"]
    assert (result["type"], result["content"]) == ("tool_result", TOLD)
    assert asked[0]["tools"][0]["input_schema"] == code.input_schema


def test_fastmcp_code_mode(runtime: pyampoule.Runtime) -> None:
    from fastmcp import Client, FastMCP
    from fastmcp.exceptions import ToolError
    from fastmcp.experimental.transforms.code_mode import CodeMode

    from pyampoule.adapters.fastmcp import Sandbox

    sandbox = Sandbox(runtime, limits=pyampoule.Limits(wall_time=60, fuel=500_000_000))
    server = FastMCP("shop", transforms=[CodeMode(sandbox_provider=sandbox)])

    @server.tool
    def price(name: str) -> dict[str, float]:
        """What something costs."""
        if name == "air":
            raise ToolError("it has no price")
        return {"euros": 1.5 * len(name)}

    async def main() -> None:
        async with Client(server) as client:
            names = {tool.name for tool in await client.list_tools()}
            assert "execute" in names
            code = (
                "import asyncio\n"
                "prices = await asyncio.gather(*(call_tool('price', {'name': name}) for name in ('tea', 'milk')))\n"
                "return sum(price['euros'] for price in prices)"
            )
            told = await client.call_tool("execute", {"code": code})
            assert [block.text for block in told.content] == ["10.5"]
            for code, said in (
                ("return await call_tool('price', {'name': 'air'})", "it has no price"),
                ("return await call_tool('prices', {})", "prices"),
                ("while True:\n    pass", "the limit `fuel`"),
                ("open('/etc/passwd')", "FileNotFoundError"),
            ):
                with pytest.raises(ToolError, match=said):
                    await client.call_tool("execute", {"code": code})

    asyncio.run(main())
    assert asyncio.run(sandbox.run("return a + b", inputs={"a": 1, "b": 2})) == 3
