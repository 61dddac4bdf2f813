"""Exceptions: faults of the host or the caller, and runs without a result."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._outcome import Cancelled, Interrupted, Limit, Outcome, Parked, Threw, Trapped


class Error(Exception):
    """The base of all exceptions of Ampoule."""


class UsageError(Error, ValueError):
    """The options or the configuration can't be used."""


class BusyError(Error):
    """Too many isolates were alive for too long. A retry may help after `retry_after` seconds."""

    def __init__(self, message: str, retry_after: int | None = None):
        super().__init__(message)
        self.retry_after = retry_after


class ClosedError(Error):
    """The runtime was closed, or the process was forked from one that has it."""


class HostError(Error):
    """The host failed."""


class CallError(Error):
    """Why a call failed: raised by `next`, or by a layer. `kind` is what scripts have in
    `error.kind`: `failed`, `arguments`, `denied`, `needs-sign-in`, `not-reached`, `refused`, `protocol`, `timed-out`,
    `cancelled` or `lost`."""

    def __init__(self, message: str, kind: str = "failed"):
        super().__init__(message)
        self.kind = kind


class DeniedError(CallError):
    """Raised by a layer: the call is not allowed. Scripts get its message, in a `ToolError` of the kind `denied`."""

    def __init__(self, message: str):
        super().__init__(message, "denied")


class ParkRequest(Error):
    """Raised by a layer before it calls `next`: the call waits for an answer from outside, such as a person's approval.
    Once all that the run waits for are such calls, it ends here as `Parked`, with these `details` of each. `Resume` continues it, and its layers are asked again."""

    def __init__(self, details: Any = None):
        super().__init__("the call waits for an answer from outside: only a layer can raise this")
        self.details = details


class RunError(Error):
    """A run without a result. `outcome` says how it ended, what it printed and what it used. The text of the exception
    ends with the calls that the run made, if some may have changed something."""

    outcome: Outcome

    def __init__(self, message: str, outcome: Outcome):
        super().__init__(message if outcome.call_log is None else f"{message}\n{outcome.call_log}")
        self.outcome = outcome


class ScriptError(RunError):
    """The script raised, or threw, what it did not catch."""

    outcome: Threw

    @property
    def name(self) -> str:
        """The class of the script's error, such as `TypeError`."""
        return self.outcome.error.name


class LimitError(RunError):
    """The run hit a limit: which one is its `limit`, such as `wall-time`."""

    outcome: Limit

    @property
    def limit(self) -> str:
        return self.outcome.limit

    @property
    def used(self) -> int:
        return self.outcome.used

    @property
    def allowed(self) -> int:
        return self.outcome.allowed

    @property
    def unit(self) -> str:
        return self.outcome.unit


class TrapError(RunError):
    """The guest broke a rule of WebAssembly."""

    outcome: Trapped


class CancelledError(RunError):
    """The run was cancelled."""

    outcome: Cancelled


class InterruptedError(RunError):
    """The run was parked, and could not resume."""

    outcome: Interrupted


class ParkedError(RunError):
    """The run is parked, and waits for an answer from outside."""

    outcome: Parked


class WithheldError(RunError):
    """Policies withhold what the run returned and printed. The message says why."""


class ResultTypeError(Error, TypeError):
    """A run returned a value that is not of the wanted type."""


def fault(kind: str, message: str, retry_after: int | None) -> Error:
    """The exception of a fault, for the part that is written in Rust."""
    if kind == "busy":
        return BusyError(message, retry_after)
    return {"usage": UsageError, "closed": ClosedError}.get(kind, HostError)(message)
