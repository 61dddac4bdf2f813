"""The part that is written in Rust."""

from collections.abc import Callable, Sequence
from contextvars import Context
from typing import Any

VERSION: str

#: The code, its language and name, the grant, the limits and `env` as JSON, the session, whether that is kept always,
#: the principal, the groups that it is in, whether it leaves a record.
Options = tuple[
    str,
    str | None,
    str | None,
    str | None,
    str | None,
    str | None,
    str | None,
    bool,
    str | None,
    Sequence[str],
    bool,
]
#: The grant as JSON, the principal, the groups that it is in.
Granted = tuple[str | None, str | None, Sequence[str]]
_OfServer = tuple["Tools", tuple[Callable[..., Any], ...]]

class Runtime:
    def __new__(cls, options: str) -> Runtime: ...
    def run(self, given: Options, tools: list[_OfServer], context: Context, mailbox: Mailbox | None) -> str: ...
    def start(
        self,
        given: Options,
        tools: list[_OfServer],
        context: Context,
        told: tuple[Mailbox, Callable[[Any], None]],
    ) -> Run: ...
    def declarations(self, language: str, granted: Granted, tools: list[_OfServer]) -> str: ...
    def close(self) -> None: ...

class Run:
    @property
    def id(self) -> str: ...
    def cancel(self) -> None: ...
    def events(self) -> Events: ...

class Events:
    def next_then(self, mailbox: Mailbox, told: Callable[[Any], None]) -> None: ...

class Mailbox:
    def __new__(cls) -> Mailbox: ...
    def fileno(self) -> int: ...
    def take(self) -> list[tuple[Callable[[Any], None], Any]]: ...

class Tools:
    def __new__(cls, server: str, described: str, are_async: list[bool]) -> Tools: ...
    @property
    def has_async(self) -> bool: ...

class Call:
    @property
    def id(self) -> str: ...
    @property
    def arguments(self) -> str: ...
    @property
    def context(self) -> Context: ...
    def answer(self, json: bytes) -> None: ...
    def fail(self, message: str) -> None: ...
    def when_given_up(self, told: Callable[[None], Any]) -> None: ...
