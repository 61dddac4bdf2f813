"""Runs code that a language model wrote: each run in a fresh WebAssembly isolate, with fuel, memory and time limits,
that reaches what it was granted and nothing else.

    import pyampoule

    @pyampoule.tool
    def add(a: int, b: int) -> int:
        "Adds two numbers."
        return a + b

    runtime = pyampoule.Runtime()
    outcome = runtime.run("return await host.add({ a: 40, b: 2 })", tools=[add])
    assert outcome.result() == 42
"""

from . import _ampoule
from ._code import CodeTool
from ._errors import (
    BusyError,
    CallError,
    CancelledError,
    ClosedError,
    DeniedError,
    Error,
    HostError,
    InterruptedError,
    LimitError,
    ParkedError,
    ParkRequest,
    ResultTypeError,
    RunError,
    ScriptError,
    TrapError,
    UsageError,
    WithheldError,
)
from ._events import CallEnded, CallStarted, Event, Output, Progress
from ._kept import OpenCall, ParkedRun
from ._layers import Layer, Next, PassingCall, ToolResult
from ._limits import Limits
from ._outcome import (
    AnsweredCall,
    CallLog,
    CallUsage,
    Cancelled,
    Interrupted,
    IrreversibleCall,
    LeftOutCalls,
    Limit,
    Line,
    Location,
    LoggedCall,
    Outcome,
    Parked,
    Returned,
    ScriptFailure,
    SessionEnd,
    Threw,
    Trapped,
    UndoCall,
    UndoOffer,
    Usage,
    WaitingCall,
)
from ._program import DirectCall, Resume, Undo
from ._runtime import Run, Runtime
from ._tools import Tool, tool

__version__ = _ampoule.VERSION

__all__ = [
    "AnsweredCall",
    "BusyError",
    "CallError",
    "CallEnded",
    "CallLog",
    "CallStarted",
    "CallUsage",
    "Cancelled",
    "CancelledError",
    "ClosedError",
    "CodeTool",
    "DeniedError",
    "DirectCall",
    "Error",
    "Event",
    "HostError",
    "Interrupted",
    "InterruptedError",
    "IrreversibleCall",
    "Layer",
    "LeftOutCalls",
    "Limit",
    "LimitError",
    "Limits",
    "Line",
    "Location",
    "LoggedCall",
    "Next",
    "OpenCall",
    "ResultTypeError",
    "Outcome",
    "Output",
    "Parked",
    "ParkedError",
    "ParkedRun",
    "ParkRequest",
    "PassingCall",
    "Progress",
    "Resume",
    "Returned",
    "Run",
    "RunError",
    "Runtime",
    "ScriptError",
    "ScriptFailure",
    "SessionEnd",
    "Threw",
    "Tool",
    "ToolResult",
    "Trapped",
    "TrapError",
    "Undo",
    "UndoCall",
    "UndoOffer",
    "Usage",
    "UsageError",
    "WaitingCall",
    "WithheldError",
    "tool",
]
