"""Runs code that a language model wrote: each run in a fresh WebAssembly isolate, with fuel, memory and time limits,
whose only way out is the tools that it was granted.

    import ampoule

    @ampoule.tool
    def add(a: int, b: int) -> int:
        "Adds two numbers."
        return a + b

    runtime = ampoule.Runtime()
    outcome = runtime.run("return await host.add({ a: 40, b: 2 })", tools=[add])
    assert outcome.result() == 42
"""

from . import _ampoule
from ._code import CodeTool
from ._errors import (
    BusyError,
    CallError,
    CancelledRun,
    ClosedError,
    DeniedError,
    Error,
    HostError,
    InterruptedRun,
    LimitError,
    NotThatType,
    RunError,
    ScriptError,
    TrappedError,
    UsageError,
    WithheldResult,
)
from ._events import CallEnded, CallStarted, Event, Output, Progress
from ._layers import Layer, Next, PassingCall, ToolResult
from ._outcome import (
    CallUsage,
    Cancelled,
    Interrupted,
    Limit,
    Line,
    Location,
    Outcome,
    Returned,
    ScriptFailure,
    SessionEnd,
    Threw,
    Trapped,
    Usage,
)
from ._runtime import Limits, Run, Runtime
from ._tools import Tool, tool

__version__ = _ampoule.VERSION

__all__ = [
    "BusyError",
    "CallError",
    "CallEnded",
    "CallStarted",
    "CallUsage",
    "Cancelled",
    "CancelledRun",
    "ClosedError",
    "CodeTool",
    "DeniedError",
    "Error",
    "Event",
    "HostError",
    "Interrupted",
    "InterruptedRun",
    "Layer",
    "Limit",
    "LimitError",
    "Limits",
    "Line",
    "Location",
    "Next",
    "NotThatType",
    "Outcome",
    "Output",
    "PassingCall",
    "Progress",
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
    "TrappedError",
    "Usage",
    "UsageError",
    "WithheldResult",
    "tool",
]
