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
import threading
import weakref
from dataclasses import dataclass
from typing import Annotated, Any

from langchain_core.tools import BaseTool, InjectedToolCallId, StructuredTool
from langgraph.config import get_config
from langgraph.types import interrupt
from pydantic import BaseModel, Field

from .._approvals import ApprovedCode, Approve, Decision, Step, calls_of, label_of, prefix_of, step_of
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
        try:
            return told(await _run(code_of, code, _place(code_of, tool_call_id, code, is_tool=True)))
        except _AnotherAsks as error:
            return str(error)

    def run_here(code: str, tool_call_id: str) -> str:
        try:
            return told(_run_here(code_of, code, _place(code_of, tool_call_id, code, is_tool=True)))
        except _AnotherAsks as error:
            return str(error)

    return StructuredTool(
        name=of.name, description=of.description, args_schema=_Arguments, func=run_here, coroutine=run
    )


async def run_code(of: CodeTool, code: str, *, label: str, approve: Approve = ()) -> Outcome:
    """The same in a node: runs a script, which may interrupt the graph. The `label` tells the script apart from others of the
    same node, and is the same when the node runs again. A node that is interrupted again after its script gets the script's
    outcome as it was, for a week. Await one script after the other: LangGraph gives answers in the order in which it was asked."""
    code_of = ApprovedCode(of, approve)
    return await _run(code_of, code, _place(code_of, label, code, is_tool=False))


class _AnotherAsks(RuntimeError):
    def __init__(self) -> None:
        super().__init__("This script was not run: another script of the same step asks for approval. Call the tool again.")


@dataclass(frozen=True)
class _Place:
    """Where a script runs: its label, and how the labels begin of all scripts in this task of the graph. A task that runs
    again is the same, and a later one is another."""

    label: str
    task: str
    #: Whether it may be called together with others. Their order is not the same each time: an answer would be for another one,
    #: so that one of them alone can ask.
    is_tool: bool


def _place(of: ApprovedCode, id: str, code: str, is_tool: bool) -> _Place | None:
    """Where a script runs; none if its calls can't ask."""
    if not of.parks:
        return None
    configurable = get_config().get("configurable", {})
    task = configurable.get("__pregel_task_id")
    if not task:
        raise RuntimeError("a script whose calls need approval runs in a node of a graph: LangGraph names no task here")
    ids = configurable.get("thread_id"), task
    return _Place(label_of(*ids, id, code=code), prefix_of(*ids), is_tool)


#: Scripts of one task wait for each other, sync ones for sync ones and async ones for async ones: LangGraph counts the interrupts
#: of a task, and gives the answers by their numbers.
_turns: weakref.WeakValueDictionary[str, asyncio.Lock] = weakref.WeakValueDictionary()
_turns_here: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
_turns_lock = threading.Lock()


async def _run(of: ApprovedCode, code: str, place: _Place | None) -> Outcome:
    if place is None:
        return await of.start(code, "")
    with _turns_lock:
        turn = _turns.setdefault(place.task, asyncio.Lock())
    async with turn:
        asked = _Asked(of, place)
        outcome = await asked.begin(code)
        while isinstance(outcome, Parked):
            outcome = await asked.go_on(asked.ask(outcome))
        return outcome


def _run_here(of: ApprovedCode, code: str, place: _Place | None) -> Outcome:
    if place is None:
        return asyncio.run(_run(of, code, None))
    with _turns_lock:
        turn = _turns_here.setdefault(place.task, threading.Lock())
    # LangGraph's context is this thread's, so that it is asked here; only runs are awaited elsewhere.
    with turn:
        asked = _Asked(of, place)
        outcome = asyncio.run(asked.begin(code))
        while isinstance(outcome, Parked):
            outcome = asyncio.run(asked.go_on(asked.ask(outcome)))
        return outcome


class _Asked:
    """A run, and how often it has interrupted its node. LangGraph runs a node again from its start, and gives the answers
    to its interrupts in their order: the label of a kept run says which of them it waits for, or how many it had."""

    def __init__(self, of: ApprovedCode, place: _Place):
        self.of = of
        self.place = place
        self.label = place.label
        self.times = 0
        self.step: Step | None = None

    async def begin(self, code: str) -> Outcome:
        """The outcome of the run that waits, or has ended; or else of a new one."""
        kept = await asyncio.to_thread(self.of.kept)
        step = self.step = step_of(kept, self.label)
        if step is None:
            if self.place.is_tool and any((run.label or "").startswith(self.place.task) for run in kept):
                raise _AnotherAsks
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
                    "the thread has an answer for an earlier run of this script, and that run is gone. Ampoule stopped the new run"
                    f" `{outcome.run}`, since the answer is not for that run. Continue from an earlier checkpoint of the thread"
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
