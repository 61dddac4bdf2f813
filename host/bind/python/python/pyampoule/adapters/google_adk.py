"""A `CodeTool` for Google's ADK, whose nested calls ask by `request_confirmation`.

    code = pyampoule.CodeTool(pyampoule.Runtime(parked="/var/lib/agent/parked"), [price, refund])
    agent = Agent(name="shop", model="…", tools=[google_adk.tool(code, approve="host.refund")])

The confirmation's payload has the calls. What answers it is `{"confirmed": true}`; or, besides, `payload` with an answer for
each call by its number: `{"answers": {"0": true, "1": "that is too much"}}`. A script that comes to further calls asks again, and
then the answer has these numbers, or the payload as it came: an old answer approves nothing new.
"""

from __future__ import annotations

import asyncio
from typing import Any

from google.adk.tools.base_tool import BaseTool
from google.adk.tools.tool_confirmation import ToolConfirmation
from google.adk.tools.tool_context import ToolContext
from google.genai import types

from .._approvals import ApprovedCode, Approve, calls_of, label_of
from .._code import CodeTool, told
from .._outcome import Outcome, Parked


def tool(of: CodeTool, *, approve: Approve = ()) -> BaseTool:
    """The tool. `approve` says which calls of scripts need approval: patterns such as `github.delete_*`, or a function of
    the call."""
    return _CodeTool(of, approve)


class _CodeTool(BaseTool):
    def __init__(self, of: CodeTool, approve: Approve):
        super().__init__(name=of.name, description=of.description)
        self.of = of
        self.approved = ApprovedCode(of, approve)

    def _get_declaration(self) -> types.FunctionDeclaration:
        return types.FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=self.of.input_schema
        )

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        code = str(args["code"])
        if not self.approved.parks:
            return {"result": told(await self.approved.start(code, ""))}
        label = label_of(tool_context.session.id, tool_context.function_call_id, code=code)
        outcome = await self._outcome(code, label, tool_context.tool_confirmation)
        if not isinstance(outcome, Parked):
            return {"result": told(outcome)}
        calls = calls_of(await asyncio.to_thread(self.approved.shown, outcome))
        named = ", ".join(f"{each['server']}.{each['tool']}" for each in calls)
        tool_context.request_confirmation(hint=f"The code calls {named}", payload={"run": outcome.run, "calls": calls})
        tool_context.actions.skip_summarization = True
        return {"error": "This tool call requires confirmation, please approve or reject."}

    async def _outcome(self, code: str, label: str, confirmation: ToolConfirmation | None) -> Outcome:
        """The outcome of the tool call's run: of one that began before, if there is one."""
        step = await asyncio.to_thread(self.approved.step, label)
        if step is None:
            return await self.approved.start(code, f"{label}#0")
        decisions = {} if confirmation is None else step.decisions(_answer(confirmation))
        if step.run.state == "ended" or not decisions:
            return step.run.outcome()
        return await self.approved.resume(step.run.run, decisions, f"{label}#{step.times + 1}")


def _answer(confirmation: ToolConfirmation) -> Any:
    """An answer for each call by its number, if the payload has them, or the calls as they were shown."""
    payload = confirmation.payload if isinstance(confirmation.payload, dict) else {}
    calls = payload.get("calls", ())
    confirmed = confirmation.confirmed is True
    answers = payload.get("answers") or {call["call"]: confirmed for call in calls} or confirmed
    if isinstance(answers, dict) and not confirmed:
        return {call: False for call in answers}
    return answers
