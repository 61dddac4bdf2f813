"""Functions that calls pass on their way to their tools."""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Union

from . import _ampoule, _loops, _tools
from ._errors import CallError, DeniedError, ParkRequest, UsageError


@dataclass(frozen=True)
class PassingCall:
    """A call on its way to its tool. `run` is the id of the run that makes it, `number` which of the run's calls it is,
    counted from 0."""

    server: str
    tool: str
    arguments: dict[str, Any]
    run: str
    number: int
    principal: str | None = None


@dataclass
class ToolResult:
    """What a tool answered, as MCP has it. A layer makes one to answer a call itself, where a value is not enough."""

    structured_content: Any = None
    content: list[Any] = field(default_factory=list)
    is_error: bool = False


#: Sends a call on, once, with its arguments, or with others. That of an async layer is to be awaited.
Next = Callable[..., Any]

#: What every call passes on its way to its tool, and its answer on its way back: `layer(call, next)`. It may look at
#: them, change them, answer itself, with a `ToolResult` or a value, or raise: `DeniedError` if it does not allow the call,
#: `ParkRequest` if somebody has to be asked first.
Layer = Union[Callable[[PassingCall, Next], Any], Callable[[PassingCall, Next], Awaitable[Any]]]

#: Whether layers are async, and what lets a call pass them.
Row = tuple[bool, Callable[[_ampoule.Passing], Any]]


def checked(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """Layers, if they are some."""
    given: tuple[Any, ...] = tuple(layers) if isinstance(layers, Iterable) else (None,)
    if not all(map(callable, given)):
        raise UsageError("`layers` must be a list of functions: `def layer(call, next): return next()`")
    return given


def of_run(layers: tuple[Layer, ...]) -> list[Row]:
    """The layers of a run, as the part that is written in Rust takes them: in rows of those that are async, and those that
    are not, so that a call is in one thread as long as it passes such."""
    rows = itertools.groupby(layers, _tools._is_async)
    return [(is_async, functools.partial(_begin if is_async else _through, tuple(row))) for is_async, row in rows]


def _through(layers: tuple[Layer, ...], passing: _ampoule.Passing) -> bytes:
    """Lets a call pass layers that are not async, in this thread."""
    return passing.context.copy().run(_let_through, layers, passing)


def _let_through(layers: tuple[Layer, ...], passing: _ampoule.Passing) -> bytes:
    try:
        return _written(_pass(layers, _call(passing), passing))
    except CallError as error:
        return _failed(error)
    except ParkRequest as request:
        return _parking(request)


def _pass(layers: tuple[Layer, ...], call: PassingCall, passing: _ampoule.Passing) -> ToolResult:
    if not layers:
        return _read(passing.send(_arguments(call)))
    layer, inner = layers[0], layers[1:]

    def next(arguments: Mapping[str, Any] | None = None) -> ToolResult:
        return _pass(inner, _changed(call, arguments), passing)

    returned = layer(call, next)
    if inspect.isawaitable(returned):
        raise UsageError("a layer that gives something to be awaited must be an `async` function")
    return _result(returned)


def _begin(layers: tuple[Layer, ...], passing: _ampoule.Passing) -> None:
    """Lets a call pass async layers, in the event loop that runs."""
    passing.when_given_up(_tools.under_way(passing.context, _answered(layers, passing)).cancel)


async def _answered(layers: tuple[Layer, ...], passing: _ampoule.Passing) -> None:
    try:
        passing.answer(_written(await _pass_async(layers, _call(passing), passing)))
    except asyncio.CancelledError:
        passing.fail("the call was cancelled")
        raise
    except CallError as error:
        passing.answer(_failed(error))
    except ParkRequest as request:
        passing.answer(_parking(request))
    except Exception as error:
        passing.fail(_tools._message_of(error))


async def _pass_async(layers: tuple[Layer, ...], call: PassingCall, passing: _ampoule.Passing) -> ToolResult:
    if not layers:
        came_to: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        passing.send_then(_arguments(call), functools.partial(_loops.settle, came_to))
        return _read(await came_to)
    layer, inner = layers[0], layers[1:]

    async def next(arguments: Mapping[str, Any] | None = None) -> ToolResult:
        return await _pass_async(inner, _changed(call, arguments), passing)

    returned = layer(call, next)
    while inspect.isawaitable(returned):
        returned = await returned
    return _result(returned)


def _call(passing: _ampoule.Passing) -> PassingCall:
    server, tool, run, number, principal = passing.call
    return PassingCall(server, tool, json.loads(passing.arguments), run, number, principal)


def _changed(call: PassingCall, arguments: Mapping[str, Any] | None) -> PassingCall:
    return call if arguments is None else replace(call, arguments=dict(arguments))


def _arguments(call: PassingCall) -> str:
    return json.dumps(call.arguments, allow_nan=False)


def _read(came_to: str | None) -> ToolResult:
    """The result of a call that was sent on."""
    if came_to is None:
        raise CallError("the call was cancelled", kind="cancelled")
    document = json.loads(came_to)
    kind = document.get("kind")
    if kind == "denied":
        raise DeniedError(document["message"])
    if kind is not None:
        raise CallError(document["message"], kind=kind)
    return ToolResult(document.get("structuredContent"), document["content"], document["isError"])


def _result(returned: Any) -> ToolResult:
    return returned if isinstance(returned, ToolResult) else ToolResult(returned)


def _written(result: ToolResult) -> bytes:
    document: dict[str, Any] = {"content": result.content, "isError": result.is_error}
    if result.structured_content is not None or not result.content:
        document["structuredContent"] = result.structured_content
    return _tools._to_json()(document)


def _failed(error: CallError) -> bytes:
    return json.dumps({"kind": error.kind, "message": str(error)}).encode()


def _parking(request: ParkRequest) -> bytes:
    """That the call waits for an answer from outside."""
    return _tools._to_json()({"kind": "park", "details": request.details})
