"""Code mode for Google's ADK: a nested call that needs approval asks by `request_confirmation`, and the script goes on from
the answer. The model follows a script: nothing is sent anywhere."""

import asyncio
import pathlib
import tempfile
from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

import pyampoule
from pyampoule.adapters import google_adk

refunds: list[float] = []
SCRIPT = """
const { euros } = await host.price({ name: 'tea' })
const all = await Promise.allSettled([euros, 500].map((euros) => host.refund({ euros })))
return all.map(({ value, reason }) => value ?? reason.message)
"""
ASKS = "adk_request_confirmation"


@pyampoule.tool
def price(name: str) -> dict[str, float]:
    """What a product costs."""
    return {"euros": float(len(name))}


@pyampoule.tool
def refund(euros: float) -> str:
    """Pays a customer back."""
    refunds.append(euros)
    return f"paid {euros:g}"


class Scripted(BaseLlm):
    """A model that writes a script, and then says what it was told."""

    has_written: bool = False

    async def generate_content_async(self, llm_request: LlmRequest, stream: bool = False) -> AsyncGenerator[LlmResponse, None]:
        last = (llm_request.contents[-1].parts or [types.Part()])[-1]
        if not self.has_written:
            self.has_written = True
            part = types.Part(function_call=types.FunctionCall(name="run_code", args={"code": SCRIPT}))
        else:
            answer = last.function_response
            part = types.Part(text=str((answer.response or {}).get("result") if answer else None))
        yield LlmResponse(content=types.Content(role="model", parts=[part]))


async def main(folder: pathlib.Path) -> None:
    with pyampoule.Runtime(parked=folder) as runtime:
        code = pyampoule.CodeTool(runtime, [price, refund], limits=pyampoule.Limits(wall_time=20))
        agent = LlmAgent(name="shop", model=Scripted(model="scripted"), tools=[google_adk.tool(code, approve="host.refund")])
        runner = InMemoryRunner(agent=agent, app_name="shop")
        session = await runner.session_service.create_session(app_name="shop", user_id="ada")

        async def said(*parts: types.Part) -> list[types.Part]:
            message = types.Content(role="user", parts=list(parts))
            events = runner.run_async(user_id="ada", session_id=session.id, new_message=message)
            return [part async for event in events if event.content for part in event.content.parts or []]

        parts = await said(types.Part(text="Pay the tea back, and 500."))
        (asked,) = [part.function_call for part in parts if part.function_call and part.function_call.name == ASKS]
        confirmation: Any = (asked.args or {})["toolConfirmation"]
        calls = confirmation["payload"]["calls"]
        assert [call["arguments"] for call in calls] == [{"euros": 3}, {"euros": 500}]
        assert refunds == []

        # A person answers, call by call.
        answers = {str(calls[0]["call"]): True, str(calls[1]["call"]): "that is too much"}
        response = {"confirmed": True, "payload": {"answers": answers}}
        parts = await said(types.Part(function_response=types.FunctionResponse(id=asked.id, name=ASKS, response=response)))
        assert parts[-1].text == '["paid 3", "that is too much"]', parts
        # None waits. The outcome of the one that was answered is kept: the same answer does not pay again.
        assert refunds == [3] and [run.state for run in runtime.parked()] == ["ended"]


with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(pathlib.Path(folder)))
print("Google ADK: ok")
