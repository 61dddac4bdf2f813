"""A `CodeTool` for OpenAI's Agents SDK, whose nested calls ask for approval as tools do there: the run is interrupted, and
`state.approve` or `state.reject` continues it.

    code = pyampoule.CodeTool(pyampoule.Runtime(parked="/var/lib/agent/parked"), [price, refund])
    agent = Agent(name="Shop", tools=[openai_agents.tool(code, approve="host.refund")])
"""

from __future__ import annotations

import json
from typing import Any

from agents import FunctionTool, RunContextWrapper
from agents.tool_context import ToolContext

from .._approvals import ApprovedCode, Approve, AskedBefore
from .._code import CodeTool, told


def tool(of: CodeTool, *, approve: Approve = (), thread: str | None = None) -> FunctionTool:
    """The tool. `approve` says which calls of scripts need approval: patterns such as `github.delete_*`, or a function of
    the call. The script begins when the SDK asks whether it needs approval, and stops where it does. `thread` is the id of the
    conversation, if tool calls of several conversations may have the same ids; default: the session of the `CodeTool`."""
    code = ApprovedCode(of, approve)
    asked = AskedBefore(code, thread) if code.parks else None

    async def needs_approval(context: RunContextWrapper[Any], arguments: dict[str, Any], call_id: str) -> bool:
        if asked is None:
            return False
        is_answered = context.is_tool_approved(of.name, call_id) is not None
        return await asked.asking(arguments, call_id, is_answered) is not None

    async def run_code(context: ToolContext[Any], arguments: str) -> str:
        given = json.loads(arguments)
        if asked is None:
            return told(await code.start(str(given["code"]), ""))
        approved = context.is_tool_approved(of.name, context.tool_call_id) is True
        return await asked.result(given, context.tool_call_id, approved)

    return FunctionTool(
        name=of.name,
        description=of.description,
        params_json_schema=dict(of.input_schema if asked is None else asked.input_schema),
        on_invoke_tool=run_code,
        strict_json_schema=asked is None,
        needs_approval=False if asked is None else needs_approval,
    )
