from asyncio import Future as _Future
from collections.abc import Coroutine as _Coroutine, Generator as _Generator
from typing import Any as _Any, Literal as _Literal, TypeVar as _TypeVar

_T = _TypeVar("_T")

class Call(_Future[_T], _Coroutine[_Any, _Any, _T]):
    """A call of a tool, which has started. `await` gives its value, any number of times; so does `.result()`, which waits in code that is not async."""
    def result(self, timeout: float | None = ...) -> _T: ...
    def exception(self, timeout: float | None = ...) -> BaseException | None: ...
    def send(self, value: _Any, /) -> _Any: ...
    def throw(self, *error: _Any) -> _Any: ...
    def close(self) -> None: ...

class ToolError(Exception):
    """A call that a tool refused, or that did not reach it."""
    message: str
    kind: _Literal["failed", "arguments", "denied", "needs-sign-in", "not-reached", "refused", "protocol", "timed-out", "cancelled", "lost"]
    """Why the call failed: `failed` if the tool reports an error, `denied` if a rule or a person does not allow the call."""
    server: str | None
    tool: str | None
    content: list[_Any]
    """The tool's error message, as content blocks."""
    data: _Any
    """The structured content of the failure (`structuredContent`), or None. Objects are dicts whose keys are also attributes."""
    def __init__(self, message: str = ..., *, kind: str = ..., server: str | None = ..., tool: str | None = ..., content: list[_Any] | None = ..., data: _Any = ...) -> None: ...

class Object(dict[str, _Any]):
    """A dict whose keys are also attributes."""
    def __getattr__(self, name: str, /) -> _Any: ...

class Summary(Object):
    """A tool in short."""
    server: str
    name: str
    identifier: str
    description: str

class ServerSummary(Object):
    """A server with granted tools."""
    name: str
    description: str | None
    tools: int

class Summaries(list[_T]):
    """A list that can also be awaited."""
    def __await__(self) -> _Generator[_Any, _Any, Summaries[_T]]: ...

class Declaration(str):
    """A text that can also be awaited."""
    def __await__(self) -> _Generator[_Any, _Any, Declaration]: ...

def servers() -> Summaries[ServerSummary]:
    """The servers with granted tools."""

def search(query: str = ..., limit: int | None = ..., server: _Any = ...) -> Summaries[Summary]:
    """The granted tools that match a query best."""

def describe(of: _Any) -> Declaration:
    """The declaration of a tool, or of all tools of a server, with documentation."""
