"""A `CodeTool` for LangGraph's agents and nodes, whose calls can ask for approval by `interrupt()`. The run is parked
meanwhile, on disk like the checkpoint: another process may go on with both.

    runtime = pyampoule.Runtime(parked="/var/lib/agent/parked")
    code = pyampoule.CodeTool(runtime, [price, refund])
    agent = create_agent(model, tools=[langgraph.tool(code, approve="host.refund")], checkpointer=saver)
    asked = agent.invoke(messages, thread)["__interrupt__"][0].value
    agent.invoke(Command(resume=True), thread)

The value of the interrupt is `{"run": …, "calls": [{"call": 0, "server": …, "tool": …, "arguments": …}]}`. What resumes it
is `True`; `{"approved": False, "reason": …}`; or one of these for each call, by its number. `True` is for the calls alone that a
script asks for first: later ones are approved by their numbers, so that no old answer approves a new call.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
from langgraph.config import get_config
from langgraph.types import interrupt
from pydantic import BaseModel, Field

from .._approvals import ApprovedCode, Approve, Decision, Step, calls_of, label_of
from .._code import CodeTool, told
from .._outcome import Outcome, Parked

__all__ = ["run_code", "tool"]

class _Arguments(BaseModel):
    code: str = Field(description="The code to run.")
    tool_call_id: Annotated[str, InjectedToolCallId]


def tool(of: CodeTool, *, approve: Approve = ()) -> BaseTool:
    """The tool, for agents that are async and those that are not. `approve` says which calls of scripts need approval:
    patterns such as `github.delete_*`, or a function of the call."""
    code_of = ApprovedCode(of, approve)

    async def run(code: str, tool_call_id: str) -> str:
        return told(await _run(code_of, code, _label(code_of, tool_call_id, code)))

    def run_here(code: str, tool_call_id: str) -> str:
        return told(_run_here(code_of, code, _label(code_of, tool_call_id, code)))

    return StructuredTool(
        name=of.name, description=of.description, args_schema=_Arguments, func=run_here, coroutine=run
    )


async def run_code(of: CodeTool, code: str, *, label: str, approve: Approve = ()) -> Outcome:
    """The same in a node: runs a script, which may interrupt the graph. The `label` tells the script apart from others of the
    same node, and is the same when the node runs again. A node that is interrupted again after its script gets the script's
    outcome as it was, for a week."""
    code_of = ApprovedCode(of, approve)
    return await _run(code_of, code, _label(code_of, label, code))


def _label(of: ApprovedCode, id: str, code: str) -> str:
    """The label of a script, in this task of the graph: a task that runs again is the same, and a later one is another."""
    if not of.parks:
        return ""
    configurable = get_config().get("configurable", {})
    task = configurable.get("__pregel_task_id")
    if not task:
        raise RuntimeError("a script whose calls need approval runs in a node of a graph: LangGraph names no task here")
    return label_of(configurable.get("thread_id"), task, id, code=code)


async def _run(of: ApprovedCode, code: str, label: str) -> Outcome:
    asked = _Asked(of, label)
    outcome = await asked.begin(code)
    while isinstance(outcome, Parked):
        outcome = await asked.go_on(asked.ask(outcome))
    return outcome


def _run_here(of: ApprovedCode, code: str, label: str) -> Outcome:
    # LangGraph's context is this thread's, so that it is asked here; only runs are awaited elsewhere.
    asked = _Asked(of, label)
    outcome = asyncio.run(asked.begin(code))
    while isinstance(outcome, Parked):
        outcome = asyncio.run(asked.go_on(asked.ask(outcome)))
    return outcome


class _Asked:
    """A run, and how often it has interrupted its node. LangGraph runs a node again from its start, and gives the answers
    to its interrupts in their order: the label of a kept run says which of them it waits for, or how many it had."""

    def __init__(self, of: ApprovedCode, label: str):
        self.of = of
        self.label = label
        self.times = 0
        self.step: Step | None = None

    async def begin(self, code: str) -> Outcome:
        """The outcome of the run that waits, or has ended; or else of a new one."""
        step = self.step = await asyncio.to_thread(self.of.step, self.label)
        if step is None:
            return await self.of.start(code, f"{self.label}#0")
        for _ in range(step.times):
            # It was answered before, and the run has gone on.
            self._interrupted({"run": step.run.run, "calls": []})
        return step.run.outcome()

    def ask(self, outcome: Parked) -> dict[int, Decision]:
        """Interrupts the graph; or gives what the answer says of the calls that wait."""
        shown, step = self.of.shown(outcome), self.step
        while True:
            answer = self._interrupted({"run": shown.run, "calls": calls_of(shown)})
            if step is None:
                # Nobody was shown what this run waits for: it has just begun.
                self.of.forget(outcome.run)
                raise RuntimeError(
                    f"there is an answer already for the script that began as the run `{outcome.run}`, so that the run which the"
                    " answer is for is gone: the script was stopped. Go on from an earlier checkpoint of the thread"
                )
            decisions = step.decisions(answer)
            if decisions:
                return decisions

    async def go_on(self, decisions: dict[int, Decision]) -> Outcome:
        assert self.step is not None
        run = self.step.run.run
        outcome = await self.of.resume(run, decisions, f"{self.label}#{self.times}")
        if isinstance(outcome, Parked):
            self.step = await asyncio.to_thread(self.of.step, self.label)
        return outcome

    def _interrupted(self, value: dict[str, Any]) -> Any:
        answer = interrupt(value)
        self.times += 1
        return answer
