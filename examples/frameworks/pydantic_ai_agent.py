"""Code mode for pydantic-ai: the agent's tools become what scripts call. A call that needs approval parks the run, and the
agent's output is `DeferredToolRequests`; the answers continue the script, also after a restart. The model follows a script:
nothing is sent anywhere."""

import pathlib
import tempfile
from typing import Any, Union

from pydantic_ai import Agent, ApprovalRequired, DeferredToolRequests, DeferredToolResults, RunContext, Tool, ToolDenied
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.toolsets import FunctionToolset
from pydantic_ai.usage import UsageLimits

import pyampoule
from pyampoule.adapters import pydantic_ai

folder = pathlib.Path(tempfile.mkdtemp())
refunds: list[float] = []

SCRIPT = """
euros = await host.price(name='tea')
print('it costs', euros)
small = await host.refund(euros=1)
try:
    large = await host.refund(euros=euros)
except ToolError as error:
    large = f'{error.kind}: {error}'
return [small, large, await host.close(number=7)]
"""


def price(name: str) -> float:
    """What a product costs."""
    return float(len(name))


def refund(ctx: RunContext[None], euros: float) -> str:
    """Pays a customer back."""
    if euros > 2 and not ctx.tool_call_approved:
        raise ApprovalRequired(metadata={"euros": euros})
    refunds.append(euros)
    return f"paid {euros:g}"


def close(number: int) -> str:
    """Closes a ticket."""
    return f"closed {number}"


def scripted(*scripts: str) -> FunctionModel:
    """A model that writes these scripts, one after the other, and then says what came out of the last."""
    left = list(scripts)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert [each.name for each in info.function_tools] == ["run_code"]
        if left:
            return ModelResponse(parts=[ToolCallPart("run_code", {"code": left.pop(0)})])
        return ModelResponse(parts=[TextPart(str(getattr(messages[-1].parts[-1], "content", "")))])

    return FunctionModel(answer)


def agent(runtime: pyampoule.Runtime, model: FunctionModel, **options: Any) -> Agent[None, Union[str, DeferredToolRequests]]:
    tools = [price, refund, Tool(close, requires_approval=True)]
    code_mode: Any = pydantic_ai.CodeMode(runtime, session=lambda ctx: "conversation-1", **options)
    return Agent(model, tools=tools, capabilities=[code_mode], output_type=[str, DeferredToolRequests])


def runtime_here() -> pyampoule.Runtime:
    return pyampoule.Runtime(parked=folder / "parked", sessions=folder / "sessions")


# The script stops at the second refund.
model = scripted(SCRIPT)
with runtime_here() as runtime:
    first = agent(runtime, model).run_sync("Pay the tea back.")
assert isinstance(first.output, DeferredToolRequests)
(request,) = first.output.approvals
assert [call["arguments"] for call in first.output.metadata[request.tool_call_id]["calls"]] == [{"euros": 3}]
assert refunds == [1]
history = first.all_messages_json()

# The answers come in another process, one for each call. A call that is denied is an error in the script, which goes on, to
# the next call that needs approval.
with runtime_here() as runtime:
    answers = pydantic_ai.decide(first.output, lambda call: True if call["arguments"]["euros"] < 2 else "that is too much")
    second = agent(runtime, model).run_sync(
        message_history=ModelMessagesTypeAdapter.validate_json(history), deferred_tool_results=answers
    )
    assert isinstance(second.output, DeferredToolRequests)
    (again,) = second.output.approvals
    # An old approval is for the calls that were shown then: the agent asks again, and the new calls are approved by their numbers.
    plain = DeferredToolResults(approvals={again.tool_call_id: True})
    old = agent(runtime, model).run_sync(message_history=second.all_messages(), deferred_tool_results=plain)
    assert isinstance(old.output, DeferredToolRequests)
    third = agent(runtime, model).run_sync(
        message_history=second.all_messages(),
        deferred_tool_results=pydantic_ai.decide(second.output, lambda call: call["arguments"] == {"number": 7}),
    )
    assert third.output == 'it costs 3.0\n["paid 1", "denied: that is too much", "closed 7"]'
    assert refunds == [1] and [run.state for run in runtime.parked()] == ["ended"]
    # The session has what the script left.
    assert agent(runtime, scripted("return small")).run_sync("And?").output == "paid 1"
    # All of a script can be denied: then the model reads that.
    denied = agent(runtime, scripted("return await host.close(number=1)")).run_sync("Close it.")
    assert isinstance(denied.output, DeferredToolRequests)
    no: Any = {denied.output.approvals[0].tool_call_id: ToolDenied("not today")}
    said = agent(runtime, scripted()).run_sync(
        message_history=denied.all_messages(), deferred_tool_results=DeferredToolResults(approvals=no)
    )
    assert said.output == "not today"

    # Usage limits count the calls of scripts.
    many = "for n in range(50):\n    await host.price(name='x')"
    try:
        agent(runtime, scripted(many)).run_sync("Go.", usage_limits=UsageLimits(tool_calls_limit=5))
        raise AssertionError("there is a limit")
    except UsageLimitExceeded as error:
        assert "tool_calls_limit of 5" in str(error)
    # A model fixes its script, and events say what scripts do.
    events: list[str] = []
    heard = agent(runtime, scripted("return prise", "return await host.price(name='ab')"), listener=lambda _, event: events.append(event.kind))
    assert heard.run_sync("Go.").output == "2.0"
    assert "call-started" in events

    # A toolset alone, without an agent's other tools.
    toolset: Any = pydantic_ai.CodeModeToolset(FunctionToolset([price]), runtime, language="typescript")
    alone = Agent(scripted("return await host.price({ name: 'abc' })"), toolsets=[toolset])
    assert alone.run_sync("Go.").output == "3"

print("pydantic-ai: ok")
