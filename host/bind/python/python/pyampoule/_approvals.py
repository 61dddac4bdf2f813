"""Scripts whose calls may need somebody's approval: what adapters share. Such a run is parked until there is an answer."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Union
from urllib.parse import quote

from . import _ampoule
from ._code import CodeTool, told
from ._errors import DeniedError, ParkRequest
from ._kept import ParkedRun
from ._layers import Next, PassingCall
from ._outcome import Outcome, Parked, WaitingCall
from ._program import Resume
from ._runtime import Run

#: How soon a run is parked whose calls wait for an answer, in seconds.
SOON = 0.01
DENIED = "the user did not approve this call"

#: Which calls need approval: patterns such as `github.delete_*`, which mean what they mean in `[approvals]` of an
#: `ampoule.toml`; or a function, async or not.
Approve = Union[str, Sequence[str], Callable[[PassingCall], Union[bool, Awaitable[bool]]]]


@dataclass(frozen=True)
class Decision:
    """What somebody decided about a call. `reason` is for the script, if the call is not approved."""

    approved: bool
    reason: str | None = None


def matcher(approve: Approve | None) -> Callable[[PassingCall], Any] | None:
    """A function of patterns; none if no call needs approval."""
    if approve is None or callable(approve):
        return approve
    given = approve if isinstance(approve, str) else list(approve)
    if given == []:
        return None
    patterns = _ampoule.Patterns(json.dumps(given))
    return lambda call: patterns.matches(call.server, call.tool)


async def needs_approval(needs: Callable[[PassingCall], Any] | None, call: PassingCall) -> bool:
    """Whether a call needs approval."""
    told = False if needs is None else needs(call)
    return bool(await told if isinstance(told, Awaitable) else told)


def decided(decision: Decision | None) -> bool:
    """Whether a call was approved. Raises if it was denied."""
    if decision is None:
        return False
    if not decision.approved:
        raise DeniedError(decision.reason or DENIED)
    return True


def label_of(*ids: str | None, code: str) -> str:
    """What the run of a tool call is found by: ids of what the framework has, such as a thread's, the last of which is the
    tool call's; and the code, since some models count their tool calls anew for each message."""
    if not ids[-1]:
        raise ValueError("the tool call has no id, and its script could not be found after a call was approved: give it one")
    return f"{prefix_of(*ids)}{hashlib.sha256(code.encode()).hexdigest()[:16]}"


def prefix_of(*ids: str | None) -> str:
    """How all labels begin that have these ids."""
    return "".join(f"{quote(each, safe='')}/" for each in ids if each)


@dataclass(frozen=True)
class Step:
    """A run that is kept, and how often it has been resumed with answers."""

    run: ParkedRun
    times: int

    def decisions(self, answer: Any) -> dict[int, Decision]:
        """What an answer says of the calls that have not ended now. A plain approval is for the calls that were shown first: an old one
        approves no later calls. Calls that are not decided are asked for again."""
        calls = [each.call for each in self.run.open_calls]
        if isinstance(answer, Mapping) and "approved" not in answer:
            listed = [call for call in calls if call in answer or str(call) in answer]
            return decisions_of(answer, listed)
        plain = decisions_of(answer, calls)
        return plain if self.times == 0 or not any(each.approved for each in plain.values()) else {}


class ApprovedCode:
    """The scripts of a `CodeTool`, some calls of which need approval."""

    def __init__(self, of: CodeTool, approve: Approve):
        self.of = of
        self._needs = matcher(approve)
        self._principal = of.options.get("principal")
        #: Whether runs are parked: some calls may ask, and there is a folder. Without a folder, a call that asks fails, and
        #: the error names the folder.
        self.parks = of.runtime.parks and self._needs is not None

    def start(self, code: str, label: str) -> Run:
        """Starts a script, in a coroutine."""
        of = self.of
        parking: dict[str, Any] = {"park_after": SOON, "label": label} if self.parks else {}
        layers = [*of.options.get("layers", ()), *([] if self._needs is None else [self._layer({})])]
        options = of.options | parking | {"layers": layers}
        return of.runtime.start(code, language=of.language, tools=of.tools, **options)

    def resume(self, run: str, decisions: Mapping[int, Decision], label: str) -> Run:
        """Continues a run, in a coroutine. Its outcome is kept: a framework may ask for it again."""
        options = {name: self.of.options[name] for name in ("principal", "groups") if name in self.of.options}
        layers = [*self.of.options.get("layers", ()), self._layer(decisions)]
        return self.of.runtime.start(
            Resume(run), tools=self.of.tools, layers=layers, label=label, keep_outcome=True, **options
        )

    def kept(self) -> list[ParkedRun]:
        """The runs that wait for an answer, and those whose outcome is kept."""
        return self.of.runtime.parked(self._principal) if self.parks else []

    def step(self, label: str) -> Step | None:
        """The run of this label, which is followed by how often it was resumed."""
        return step_of(self.kept(), label)

    def shown(self, outcome: Parked) -> Parked:
        """A parked run with all calls that an answer may be for."""
        return shown_of(self.kept(), outcome)

    def forget(self, run: str) -> None:
        """Gives a run up that waits."""
        self.of.runtime.remove_parked(run, self._principal)

    def _layer(self, decisions: Mapping[int, Decision]) -> Callable[[PassingCall, Next], Any]:
        async def asking(call: PassingCall, next: Next) -> Any:
            if not decided(decisions.get(call.number)):
                if await needs_approval(self._needs, call):
                    raise ParkRequest()
            return await next()

        return asking


def step_of(kept: Sequence[ParkedRun], label: str) -> Step | None:
    """The run of this label among these. Raises if a process has it."""
    for run in kept:
        name, mark, times = (run.label or "").rpartition("#")
        if mark and name == label and times.isdecimal():
            return Step(here(run), int(times))
    return None


def here(run: ParkedRun) -> ParkedRun:
    """The same run. Raises if a process has it."""
    if run.state == "parked":
        raise RuntimeError(f"the run `{run.run}` of this tool call is still running: wait until it ends, and ask again")
    return run


def shown_of(kept: Sequence[ParkedRun], outcome: Parked) -> Parked:
    """A parked run with all calls that an answer may be for: those that wait for their turn, too."""
    run = next((each for each in kept if each.run == outcome.run), None)
    if run is None:
        return outcome
    asked = {each.call: each for each in outcome.waiting}
    waiting = [
        asked.get(each.call) or WaitingCall(each.call, each.server, each.tool, each.arguments, None) for each in run.open_calls
    ]
    return replace(outcome, waiting=waiting)


def calls_of(outcome: Outcome) -> list[dict[str, Any]]:
    """The calls that a run waits for, as JSON."""
    waiting = outcome.waiting if isinstance(outcome, Parked) else ()
    return [
        {"call": each.call, "server": each.server, "tool": each.tool, "arguments": each.arguments} for each in waiting
    ]


def decisions_of(answer: Any, calls: Sequence[int]) -> dict[int, Decision]:
    """What an answer says of calls: a boolean, `{"approved": …, "reason": …}`, or one of these for each call by its number.
    What is not approved is denied."""
    if isinstance(answer, Mapping) and "approved" not in answer:
        return {call: _decision(answer.get(call, answer.get(str(call), False))) for call in calls}
    return {call: _decision(answer) for call in calls}


def _decision(answer: Any) -> Decision:
    if isinstance(answer, Mapping):
        reason = answer.get("reason")
        return Decision(answer.get("approved") is True, None if reason is None else str(reason))
    return Decision(answer is True, answer if isinstance(answer, str) else None)


class AskedBefore:
    """For frameworks that ask before they call a tool: the script begins when they ask whether it needs approval. One that
    comes to further calls later says in its result how to go on."""

    #: How many outcomes are kept of scripts that began, and were not called yet.
    MOST_BEGUN = 1000

    input_schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "code": {"type": "string", "description": "The code to run."},
            "resume": {"type": "string", "description": "Instead of code: what the result of code that waits names."},
        },
        "additionalProperties": False,
    }

    def __init__(self, of: ApprovedCode, thread: str | None):
        self.of = of
        self._thread = thread or of.of.options.get("session")
        self._begun: dict[str, Outcome] = {}

    async def asking(self, given: Mapping[str, Any], call_id: str, is_answered: bool) -> ParkedRun | None:
        """The run of a tool call that waits for approval. If it has not begun, it does, unless somebody has answered: the
        answer is for a run that is gone, whose calls were shown, and not for another."""
        if not self.of.parks:
            return None
        label, kept = self._label(given, call_id), await asyncio.to_thread(self.of.kept)
        if _labelled(kept, AFTER + label) is not None:
            # Its approval was used.
            return None
        found = self._found(kept, given, label)
        if found is not None or is_answered or "code" not in given or label in self._begun:
            return found
        outcome = await self.of.start(str(given["code"]), label)
        if isinstance(outcome, Parked):
            return self._found(await asyncio.to_thread(self.of.kept), given, label)
        while len(self._begun) >= self.MOST_BEGUN:
            del self._begun[next(iter(self._begun))]
        self._begun[label] = outcome
        return None

    async def result(self, given: Mapping[str, Any], call_id: str, approved: bool) -> str:
        """What the model reads of a tool call, which was approved if it needs that. An approval is for the calls that were
        shown, and is used once: the calls that the script comes to then need another tool call."""
        label, kept = self._label(given, call_id), await asyncio.to_thread(self.of.kept)
        outcome: Outcome
        used, found = _labelled(kept, AFTER + label), self._found(kept, given, label)
        if used is not None:
            outcome = here(used).outcome()
        elif found is None:
            begun = self._begun.pop(label, None)
            outcome = await self._started(given, label) if begun is None else begun
        elif approved:
            decisions = decisions_of(True, [each.call for each in found.open_calls])
            outcome = await self.of.resume(found.run, decisions, AFTER + label)
        else:
            raise PermissionError(f"nobody approved what the run `{found.run}` waits for")
        if not isinstance(outcome, Parked):
            return told(outcome)
        shown = await asyncio.to_thread(self.of.shown, outcome)
        calls = ", ".join(f"{each.server}.{each.tool}({each.arguments})" for each in shown.waiting)
        token = _token(shown.run, [each.call for each in shown.waiting])
        return f"The code waits for approval of {calls}. Call this tool with `resume` alone: {token}"

    async def _started(self, given: Mapping[str, Any], label: str) -> Outcome:
        if "code" not in given:
            raise ValueError(f"unknown waiting run {given.get('resume')}: write `code`")
        return await self.of.start(str(given["code"]), label)

    def _label(self, given: Mapping[str, Any], call_id: str) -> str:
        code = str(given.get("code") or given.get("resume"))
        return label_of(self._thread, call_id, code=code)

    def _found(self, kept: Sequence[ParkedRun], given: Mapping[str, Any], label: str) -> ParkedRun | None:
        waiting, resume = [run for run in kept if run.state == "left"], given.get("resume")
        if not resume:
            return _labelled(waiting, label)
        return next((run for run in waiting if _token(run.run, [each.call for each in run.open_calls]) == resume), None)


#: How the label begins of a run that a tool call has resumed.
AFTER = "after "


def _labelled(kept: Sequence[ParkedRun], label: str) -> ParkedRun | None:
    return next((run for run in kept if run.label == label), None)


def _token(run: str, calls: Sequence[int]) -> str:
    """What a model calls a run by that waits, and the calls that it waits for: no others are approved by that."""
    return f"{run}.{min(calls, default=0)}"
