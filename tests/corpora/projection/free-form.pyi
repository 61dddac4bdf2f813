# mypy: disable-error-code=override
# pyright: reportIncompatibleMethodOverride=false
from typing import (
    Any as Any, Literal as Literal, Never as Never, NotRequired as NotRequired, TypeAlias as TypeAlias, TypedDict as TypedDict,
    Unpack as Unpack, overload as overload,
)
from tools import Call as Call

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class FreeFormArgs(TypedDict):
    any: Json
    anything: NotRequired[Json]
    described: NotRequired[Json]
    """Whatever you like."""
    object: NotRequired[dict[str, Json]]
    open: NotRequired[dict[str, Json]]
    empty: NotRequired[dict[str, Json]]
    never: NotRequired[Never]

@overload
def free_form(**args: Unpack[FreeFormArgs]) -> Call[dict[str, Json]]:
    """Args:
        described: Whatever you like.
    """
@overload
def free_form(args: FreeFormArgs, /) -> Call[dict[str, Json]]: ...

def only_object(args: dict[str, Json] = ..., /) -> Call[Untyped]:
    ...

def open_object(args: dict[str, Json] = ..., /, **named: Json) -> Call[Untyped]:
    ...

def closed_object(args: dict[str, Never] = ..., /) -> Call[Untyped]:
    ...
