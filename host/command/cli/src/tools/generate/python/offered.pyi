"""What servers may have besides tools, each of them with `_` before its name: `tools.server._read(uri)`."""
# mypy: disable-error-code=override
# pyright: reportIncompatibleMethodOverride=false
from collections.abc import Mapping
from typing import Any, Literal, Never, NotRequired, TypedDict, overload

from tools import Call, Object

class Resource(Object):
    uri: str
    name: str
    title: str
    description: str
    mimeType: str
    size: int
    """In bytes."""

class ResourceTemplate(Object):
    uriTemplate: str
    """An address with names in braces, by RFC 6570."""
    name: str
    title: str
    description: str
    mimeType: str

class Contents(Object):
    """A part of a resource."""
    uri: str
    mimeType: str
    text: str
    blob: bytes

class PromptArgument(Object):
    name: str
    title: str
    description: str
    required: bool

class Prompt(Object):
    name: str
    title: str
    description: str
    arguments: list[PromptArgument]

class PromptMessage(Object):
    role: Literal["user", "assistant"]
    content: Object
    """A content block."""

class Filled(Object):
    """A prompt, filled in with arguments."""
    description: str
    messages: list[PromptMessage]

class Completion(Object):
    total: int
    """How many there are in all."""
    hasMore: bool
    @overload
    def __getitem__(self, key: Literal["values"], /) -> list[str]: ...
    @overload
    def __getitem__(self, key: str, /) -> Any: ...

class ReadArgs(TypedDict):
    uri: str

class PromptArgs(TypedDict):
    name: str
    arguments: NotRequired[Mapping[str, str]]

class Argument(TypedDict):
    name: str
    value: str
    """How it begins."""

class Context(TypedDict):
    arguments: NotRequired[Mapping[str, str]]
    """Those that have their values already."""

class CompleteArgs(TypedDict):
    ref: str | Mapping[str, str]
    argument: Argument
    context: NotRequired[Context]

def resources(args: dict[str, Never] = ..., /) -> Call[list[Resource]]:
    """The server's resources."""
def templates(args: dict[str, Never] = ..., /) -> Call[list[ResourceTemplate]]:
    """Templates of the addresses of further resources."""
@overload
def read(uri: str) -> Call[list[Contents]]:
    """Reads a resource: its parts, each with a text, or with bytes as a blob."""
@overload
def read(args: ReadArgs, /) -> Call[list[Contents]]: ...
def prompts(args: dict[str, Never] = ..., /) -> Call[list[Prompt]]:
    """The server's prompts."""
@overload
def prompt(name: str, arguments: Mapping[str, str] = ...) -> Call[Filled]:
    """A prompt, filled in with arguments."""
@overload
def prompt(args: PromptArgs, /) -> Call[Filled]: ...
@overload
def complete(ref: str | Mapping[str, str], argument: Argument, context: Context = ...) -> Call[Completion]:
    """Values that an argument of a prompt, or of a template, may have.

    Args:
        ref: A prompt's name, or a template's address.
    """
@overload
def complete(args: CompleteArgs, /) -> Call[Completion]: ...
