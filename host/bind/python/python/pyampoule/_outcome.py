"""How a run ended, with what it printed and used."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from . import _errors as errors

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a run printed. Its level is `log`, `debug`, `info`, `warn` or `error`."""

    level: str
    text: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the script, counting from 1, and the line that is there."""

    module: str
    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class ScriptFailure:
    """An error that a script did not catch. As text, it is what a model needs to fix the script."""

    name: str
    message: str
    location: Location | None = None
    stack: str = ""
    causes: Sequence[str] = ()

    def __str__(self) -> str:
        text = f"{self.name}: {self.message}"
        if self.location is not None:
            place = self.location
            number = str(place.line)
            margin = " " * len(number)
            indent = "".join("\t" if letter == "\t" else " " for letter in place.text[: place.column - 1])
            text += f"\n{margin}--> {place.module}:{place.line}:{place.column}\n{number} | {place.text}\n{margin} | {indent}^"
        if self.stack.count("\n") > 0:
            text += "\n" + self.stack.rstrip()
        return text + "".join(f"\ncaused by: {cause}" for cause in self.causes)


@dataclass(frozen=True, slots=True)
class CallUsage:
    """What a call used. It `end`s `returned`, `failed` or `cancelled`; its `state` says whether the
    tool did its work, as far as known: `not-sent`, `answered` or `unknown`."""

    server: str
    tool: str
    end: str
    state: str
    wall_ms: float
    argument_bytes: int
    result_bytes: int


@dataclass(frozen=True, slots=True)
class Usage:
    """What a run used."""

    fuel: int
    wall_ms: float
    peak_memory_bytes: int
    peak_host_bytes: int
    output_bytes: int
    parked: int
    calls: Sequence[CallUsage]


@dataclass(frozen=True, slots=True)
class LoggedCall:
    """A call of a failed run. Its `result` is `done`, `failed`, `denied`, `not-sent` or `unknown`; its
    `arguments` are JSON without long texts. `call` is its place in the usage."""

    call: int
    server: str
    tool: str
    arguments: str
    result: str


@dataclass(frozen=True, slots=True)
class LeftOutCalls:
    """Calls without an entry, made `after` so many of the entries."""

    after: int
    count: int
    not_done: int


@dataclass(frozen=True, slots=True)
class CallLog:
    """The calls that a failed run made of tools that may change something: the first and the last of
    them. As text, it is what a model needs to continue after them."""

    calls: Sequence[LoggedCall]
    reads: int
    text: str
    left_out: LeftOutCalls | None = None

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class AnsweredCall:
    """A call that was answered. `call` is its place in the usage; `account` is `principal` or `shared` where somebody
    signed in to the server."""

    call: int
    server: str
    tool: str
    account: str | None = None


@dataclass(frozen=True, slots=True)
class UndoCall:
    """A call that takes another one back. Its `arguments` are JSON."""

    takes_back: AnsweredCall
    server: str
    tool: str
    arguments: str


@dataclass(frozen=True, slots=True)
class IrreversibleCall:
    """A call that can't be taken back, and why."""

    call: AnsweredCall
    why: str


@dataclass(frozen=True, slots=True)
class UndoOffer:
    """What takes the answered calls of a failed run back, the newest first. `Runtime.run(Undo(offer.run))` does it."""

    run: str
    calls: Sequence[UndoCall]
    irreversible: Sequence[IrreversibleCall] = ()
    #: How many older calls there was no room for.
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The state of a session after a run."""

    name: str
    kept: bool
    run: int
    bytes: int
    notes: Sequence[str] = ()
    rewound: bool = False


@dataclass(frozen=True)
class Outcome:
    """How a run ended: one of the classes below. `result()` gives what it returned, or raises."""

    output: Sequence[Line]
    usage: Usage
    language: str
    #: What the script gave the person with `emit`, apart from its value and however it ended.
    emitted: Sequence[Any] = field(default=(), kw_only=True)
    #: The calls of a run that failed after calls that may have changed something.
    call_log: CallLog | None = field(default=None, kw_only=True)
    #: What takes the calls of a failed run back.
    undo: UndoOffer | None = field(default=None, kw_only=True)
    session: SessionEnd | None = field(default=None, kw_only=True)
    record: str | None = field(default=None, kw_only=True)
    #: Why policies withhold the value, the error and the output.
    withheld: str | None = field(default=None, kw_only=True)

    @property
    def ending(self) -> str:
        """Its name: `returned`, `threw`, `limit`, `trapped`, `cancelled`, `interrupted` or `parked`."""
        return type(self).__name__.lower()

    @property
    def printed(self) -> str:
        """What the run printed, as one text."""
        return "".join(f"{line.text}\n" for line in self.output)

    @overload
    def result(self) -> Any: ...
    @overload
    def result(self, type: type[T]) -> T: ...
    def result(self, type: Any = None) -> Any:
        """The value that the run returned, as this type, if one is named: whatever pydantic can validate.

        Raises a `RunError` if the run ended otherwise, and `ResultTypeError` if the value is none.
        """
        raise self._error()

    def _error(self) -> errors.RunError:
        raise NotImplementedError


@dataclass(frozen=True)
class Returned(Outcome):
    """The script came to its end, and returned `value`: what JSON is made of."""

    value: Any

    @overload
    def result(self) -> Any: ...
    @overload
    def result(self, type: type[T]) -> T: ...
    def result(self, type: Any = None) -> Any:
        if self.withheld is not None:
            raise errors.WithheldError(self.withheld, self)
        if type is None:
            return self.value
        from pydantic import TypeAdapter, ValidationError

        try:
            return TypeAdapter(type).validate_python(self.value)
        except ValidationError as error:
            raise errors.ResultTypeError(str(error)) from error


@dataclass(frozen=True)
class Threw(Outcome):
    """The script raised, or threw, an error that it did not catch."""

    error: ScriptFailure
    #: What the tool's error has besides text: content blocks of MCP.
    error_content: Sequence[Any] = ()

    def _error(self) -> errors.RunError:
        return errors.ScriptError(str(self.error), self)


@dataclass(frozen=True)
class Limit(Outcome):
    """The run hit a limit."""

    limit: str
    used: int
    allowed: int
    unit: str

    def _error(self) -> errors.RunError:
        told = f"the run hit the limit `{self.limit}`: {self.used} of {self.allowed} {self.unit}"
        return errors.LimitError(told, self)


@dataclass(frozen=True)
class Trapped(Outcome):
    """The guest broke a rule of WebAssembly. The host and other runs are untouched."""

    message: str

    def _error(self) -> errors.RunError:
        return errors.TrapError(self.message, self)


@dataclass(frozen=True)
class Cancelled(Outcome):
    """The run was cancelled."""

    def _error(self) -> errors.RunError:
        return errors.CancelledError("the run was cancelled", self)


@dataclass(frozen=True, slots=True)
class WaitingCall:
    """A call that waits for an answer from outside. `call` is its number, `details` what the layer said of it. Arguments that
    were too large to be kept are `None`."""

    call: int
    server: str
    tool: str
    arguments: Mapping[str, Any] | None
    details: Any


@dataclass(frozen=True)
class Parked(Outcome):
    """The run is on disk, and waits for answers from outside. `Resume(outcome.run)` continues it."""

    run: str
    waiting: Sequence[WaitingCall]

    def _error(self) -> errors.RunError:
        calls = ", ".join(f"{each.server}.{each.tool}" for each in self.waiting)
        return errors.ParkedError(f"the run `{self.run}` is parked, and waits for answers from outside: {calls}", self)


@dataclass(frozen=True)
class Interrupted(Outcome):
    """The run was parked, and could not resume."""

    message: str

    def _error(self) -> errors.RunError:
        return errors.InterruptedError(self.message, self)


def read(document: str) -> Outcome:
    """An outcome, from its JSON document."""
    return of_document(json.loads(document))


def of_document(given: dict[str, Any]) -> Outcome:
    """An outcome, of its document."""
    usage = given["usage"]
    rest = {
        "output": [Line(line["level"], line["text"]) for line in given["output"]],
        "usage": _usage(usage),
        "language": given["language"],
    }
    if "callLog" in given:
        rest["call_log"] = _call_log(given["callLog"])
    if "undo" in given:
        rest["undo"] = _undo(given["undo"])
    if "session" in given:
        rest["session"] = SessionEnd(**given["session"])
    for told in ("emitted", "record", "withheld"):
        if told in given:
            rest[told] = given[told]
    ending = given["ending"]
    if ending == "returned":
        return Returned(value=given["value"], **rest)
    if ending == "threw":
        return Threw(error=_failure(given["error"]), error_content=given.get("errorContent", ()), **rest)
    if ending == "limit":
        named = {key: given[key] for key in ("limit", "used", "allowed", "unit")}
        return Limit(**named, **rest)
    if ending == "cancelled":
        return Cancelled(**rest)
    if ending == "parked":
        return Parked(run=given["run"], waiting=[WaitingCall(**each) for each in given["waiting"]], **rest)
    kind = Trapped if ending == "trapped" else Interrupted
    return kind(message=given["error"]["message"], **rest)


def _usage(given: dict[str, Any]) -> Usage:
    return Usage(
        given["fuel"],
        given["wallMs"],
        given["peakMemoryBytes"],
        given["peakHostBytes"],
        given["outputBytes"],
        given.get("parked", 0),
        [_call(call) for call in given["calls"]],
    )


def _call(given: dict[str, Any]) -> CallUsage:
    return CallUsage(
        given["server"],
        given["tool"],
        given["end"],
        given["state"],
        given["wallMs"],
        given["argumentBytes"],
        given["resultBytes"],
    )


def _call_log(given: dict[str, Any]) -> CallLog:
    left_out = given.get("leftOut")
    return CallLog(
        [LoggedCall(**call) for call in given["calls"]],
        given["reads"],
        given["text"],
        None if left_out is None else LeftOutCalls(left_out["after"], left_out["count"], left_out["notDone"]),
    )


def _undo(given: dict[str, Any]) -> UndoOffer:
    return UndoOffer(
        given["run"],
        [
            UndoCall(AnsweredCall(**call["takesBack"]), call["server"], call["tool"], call["arguments"])
            for call in given["calls"]
        ],
        [IrreversibleCall(AnsweredCall(**lost["call"]), lost["why"]) for lost in given.get("irreversible", ())],
        given.get("leftOut", 0),
    )


def _failure(given: dict[str, Any]) -> ScriptFailure:
    place = given["location"]
    return ScriptFailure(
        given["name"],
        given["message"],
        None if place is None else Location(**place),
        given["stack"],
        given["causes"],
    )
