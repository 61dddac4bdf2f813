"""Python's functions as tools: what scripts see of them, and how they are called."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import inspect
import json
import logging
import weakref
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Generic, ParamSpec, TypeVar, Union, overload

from . import _ampoule, _loops
from ._errors import UsageError

P = ParamSpec("P")
R = TypeVar("R")
_logger = logging.getLogger("pyampoule")

#: The server's name in scripts, for tools that are given as a list.
SERVER = "host"


class Tool(Generic[P, R]):
    """A function that scripts can call. Called from Python, it is the function."""

    __name__: str
    name: str
    description: str | None
    input_schema: dict[str, Any]
    output_schema: Any
    is_async: bool

    def __init__(
        self,
        function: Callable[P, R],
        *,
        name: str,
        description: str | None,
        input_schema: Mapping[str, Any],
        output_schema: Any,
        call: Callable[[str], Any],
        dump: Callable[[Any], bytes],
        title: str | None = None,
        annotations: Mapping[str, bool] | None = None,
        undo: str | None = None,
    ):
        functools.update_wrapper(self, function)
        self.function = function
        self.name = name
        self.description = description
        self.title = title
        self.input_schema = dict(input_schema)
        self.output_schema = output_schema
        self.annotations = dict(annotations or {})
        self.undo = undo
        self.is_async = _is_async(function)
        self._call = call
        self._dump = dump

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.function(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<pyampoule.Tool {self.name!r}>"

    @property
    def definition(self) -> dict[str, Any]:
        """The tool, as MCP describes tools."""
        described = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": self.annotations,
        }
        return {key: value for key, value in described.items() if value is not None}

    @classmethod
    def of_schema(
        cls,
        function: Callable[[dict[str, Any]], Any],
        *,
        name: str,
        description: str | None = None,
        input_schema: Mapping[str, Any],
        output_schema: Any = None,
        undo: str | None = None,
    ) -> Tool[[dict[str, Any]], Any]:
        """A tool whose schemas are there already. `function` takes the arguments as a dict, and may be async. What it
        returns is written as JSON."""
        return Tool(
            function,
            name=name,
            description=description,
            input_schema=input_schema,
            output_schema=output_schema,
            call=lambda arguments: function(json.loads(arguments)),
            dump=_to_json(),
            undo=undo,
        )

    def _carry_out(self, context: contextvars.Context, arguments: str) -> bytes:
        """Calls a function that is not async, for the part that is written in Rust."""
        return self._dump(context.copy().run(self._call, arguments))

    def _begin(self, call: _ampoule.Call) -> None:
        """Calls an async function, in the event loop that runs."""
        call.when_given_up(under_way(call.context, self._answered(call)).cancel)

    async def _answered(self, call: _ampoule.Call) -> None:
        try:
            call.answer(self._dump(await self._call(call.arguments)))
        except asyncio.CancelledError:
            call.fail("the tool was cancelled")
            _loops.stepped(call.mailbox)
            raise
        except Exception as error:
            call.fail(_message_of(error))
        _loops.stepped(call.mailbox)


#: Tasks that only this set holds.
_under_way: set[asyncio.Future[None]] = set()


def under_way(context: contextvars.Context, work: Coroutine[Any, Any, None]) -> asyncio.Future[None]:
    """Has the event loop that runs do something, in a copy of a context."""
    task = context.copy().run(asyncio.ensure_future, work)
    _under_way.add(task)
    task.add_done_callback(_under_way.discard)
    return task


@overload
def tool(function: Callable[P, R], /) -> Tool[P, R]: ...
@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    title: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    undo: str | None = None,
) -> Callable[[Callable[P, R]], Tool[P, R]]: ...
def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    title: str | None = None,
    read_only: bool | None = None,
    destructive: bool | None = None,
    idempotent: bool | None = None,
    open_world: bool | None = None,
    undo: str | None = None,
) -> Any:
    """Makes a tool of a function, async or not. Its schemas come from its type hints: whatever pydantic knows, its
    models too. Arguments and the result are validated. The description is the docstring, unless one is given.

    `undo` says what takes a call back: `"delete_issue({ id: result.id })"`, a call of another tool of the same server.

    What the function raises is what the script catches, as a `ToolError` with the exception's text.
    """
    hints = {
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": open_world,
    }
    said = {key: value for key, value in hints.items() if value is not None}

    def made(function: Callable[..., Any]) -> Tool[..., Any]:
        return _made(function, name, description, title, said, undo)

    return made if function is None else made(function)


def _made(
    function: Callable[..., Any],
    name: str | None,
    description: str | None,
    title: str | None,
    annotations: Mapping[str, bool],
    undo: str | None,
) -> Tool[..., Any]:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    called = name or getattr(function, "__name__", None)
    if not called:
        raise UsageError("a tool needs a name")
    returned = _returned(function)
    try:
        described: Any = function
        arguments: TypeAdapter[Any] = TypeAdapter(described)
        input_schema = _object(called, arguments.json_schema())
        output = None if returned is Any else TypeAdapter(returned)
        output_schema = None if output is None else output.json_schema(mode="serialization")
    except PydanticUserError as error:
        raise UsageError(f"the tool `{called}`: {error.message}") from error
    return Tool(
        function,
        name=called,
        description=description or inspect.getdoc(function),
        title=title,
        input_schema=input_schema,
        output_schema=output_schema,
        call=arguments.validate_json,
        dump=_to_json() if output is None else _validated(called, output),
        annotations=annotations,
        undo=undo,
    )


def _object(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of a function's arguments, if they have names."""
    if schema.get("type") != "object":
        raise UsageError(f"the tool `{name}`: its parameters must have names, since scripts give them by name")
    return schema


def _returned(function: Callable[..., Any]) -> Any:
    """What a function says that it returns; `Any` if it says nothing."""
    from typing import get_type_hints

    try:
        hints = get_type_hints(_plain(function), include_extras=True)
    except (NameError, TypeError):
        # A hint that can't be found is one that pydantic complains about, if it matters.
        hints = {}
    return hints.get("return", Any)


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    if isinstance(function, functools.partial):
        return _plain(function.func)
    is_plain = inspect.isroutine(function) or inspect.ismethod(function)
    return function if is_plain else type(function).__call__


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(_plain(function))


def _to_json() -> Callable[[Any], bytes]:
    from pydantic_core import to_json

    return to_json


def _validated(name: str, output: Any) -> Callable[[Any], bytes]:
    """Writes results as JSON, of the type that the function promises."""
    from pydantic import ValidationError

    def dump(value: Any) -> bytes:
        try:
            return output.dump_json(output.validate_python(value), by_alias=True)  # type: ignore[no-any-return]
        except ValidationError as error:
            raise _Unpromised(f"`{name}` returned what it does not promise: {_sentences(error)}") from error

    return dump


class _Unpromised(TypeError):
    pass


def _message_of(error: BaseException) -> str:
    """The message of an exception, for the script."""
    _logger.debug("a tool raised", exc_info=error)
    errors = getattr(error, "errors", None)
    if type(error).__name__ == "ValidationError" and callable(errors):
        return _sentences(error)
    return str(error) or type(error).__name__


def _sentences(error: Any) -> str:
    """What pydantic finds wrong, without its addresses."""
    told = []
    for each in error.errors(include_url=False, include_input=False, include_context=False):
        place = ".".join(str(part) for part in each["loc"])
        told.append(f"{place}: {each['msg']}" if place else each["msg"])
    return "; ".join(told)


#: What may be given as `tools`: a list, whose server is called `host`, or lists by the names of their servers.
AnyTool = Union[Tool[..., Any], Callable[..., Any]]
Tools = Union[Sequence[AnyTool], Mapping[str, Sequence[AnyTool]]]

_made_of: weakref.WeakKeyDictionary[Callable[..., Any], Tool[..., Any]] = weakref.WeakKeyDictionary()


def _tool_of(given: AnyTool) -> Tool[..., Any]:
    if isinstance(given, Tool):
        return given
    if not callable(given):
        raise UsageError(f"{given!r} is not a tool: give a function, or what `@tool` makes of one")
    try:
        made = _made_of.get(given)
    except TypeError:
        return tool(given)
    if made is None:
        made = tool(given)
        # A method of an object is another one each time that it is looked up.
        if not inspect.ismethod(given):
            # The tool holds the function: the pair goes when both are gone.
            _made_of[given] = made
    return made


OfServer = tuple["_ampoule.Tools", tuple[Callable[..., Any], ...]]


def of_run(tools: Tools) -> list[OfServer]:
    """The tools of a run, as the part that is written in Rust takes them."""
    if not tools:
        return []
    by_server = tools.items() if isinstance(tools, Mapping) else [(SERVER, tools)]
    return [_of_server(server, tuple(map(_tool_of, each))) for server, each in by_server]


@functools.lru_cache(maxsize=256)
def _of_server(server: str, tools: tuple[Tool[..., Any], ...]) -> OfServer:
    described = json.dumps([each.definition if each.undo is None else each.definition | {"undo": each.undo} for each in tools])
    offered = _ampoule.Tools(server, described, [each.is_async for each in tools])
    return offered, tuple(each._begin if each.is_async else each._carry_out for each in tools)
