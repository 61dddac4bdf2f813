"""Code mode for OpenAI's Agents SDK: a nested call that needs approval interrupts the run of the agent, and the script goes on
from `state.approve`. The model follows a script: nothing is sent anywhere."""

import asyncio
import json
import pathlib
import tempfile
from collections.abc import AsyncIterator
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, RunState, Usage, set_tracing_disabled
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import pyampoule
from pyampoule.adapters import openai_agents

refunds: list[float] = []
SCRIPT = "const euros = (await host.price({ name: 'tea' })).euros; return [euros, await host.refund({ euros })]"


@pyampoule.tool
def price(name: str) -> dict[str, float]:
    """What a product costs."""
    return {"euros": float(len(name))}


@pyampoule.tool
def refund(euros: float) -> str:
    """Pays a customer back."""
    refunds.append(euros)
    return "paid"


class Scripted(Model):
    """A model that writes these scripts, one after the other, and then says what it was told."""

    def __init__(self, *scripts: str):
        self.left = list(scripts)

    async def get_response(self, system_instructions: Any, input: Any, *args: Any, **kwargs: Any) -> ModelResponse:
        output: Any
        if self.left:
            arguments = json.dumps({"code": self.left.pop(0)})
            output = ResponseFunctionToolCall(type="function_call", call_id=f"call-{len(self.left)}", name="run_code", arguments=arguments)
        else:
            text = ResponseOutputText(type="output_text", text=str(input[-1]["output"]), annotations=[])
            output = ResponseOutputMessage(id="m", type="message", role="assistant", status="completed", content=[text])
        return ModelResponse(output=[output], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
        raise NotImplementedError


def agent_of(runtime: pyampoule.Runtime, model: Model) -> Agent[Any]:
    code = pyampoule.CodeTool(runtime, [price, refund], limits=pyampoule.Limits(wall_time=20))
    return Agent(name="Shop", model=model, tools=[openai_agents.tool(code, approve="host.refund")])


async def main(folder: pathlib.Path) -> None:
    model = Scripted(SCRIPT)
    with pyampoule.Runtime(parked=folder) as runtime:
        asked = await Runner.run(agent_of(runtime, model), "Pay the tea back.")
        assert len(asked.interruptions) == 1 and refunds == []
        (waiting,) = runtime.parked()
        assert waiting.open_calls[0].arguments == {"euros": 3}
        written = asked.to_state().to_string()
    # The state is read again, as in another process.
    with pyampoule.Runtime(parked=folder) as runtime:
        agent = agent_of(runtime, model)
        state = await RunState.from_string(agent, written)
        state.approve(state.get_interruptions()[0])
        done = await Runner.run(agent, state)
        assert done.final_output == '[3, "paid"]'
        # None waits. The outcome of the one that was approved is kept: the same state does not pay again.
        assert refunds == [3] and [run.state for run in runtime.parked()] == ["ended"]
        state = await RunState.from_string(agent, written)
        state.approve(state.get_interruptions()[0])
        again = await Runner.run(agent_of(runtime, Scripted()), state)
        assert again.final_output == '[3, "paid"]' and refunds == [3]
        # What needs no approval runs at once.
        at_once = await Runner.run(agent_of(runtime, Scripted("return (await host.price({ name: 'x' })).euros")), "Go.")
        assert at_once.final_output == "1"


set_tracing_disabled(True)
with tempfile.TemporaryDirectory() as folder:
    asyncio.run(main(pathlib.Path(folder)))
print("OpenAI Agents SDK: ok")
