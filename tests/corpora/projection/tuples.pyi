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

class TuplesArgs(TypedDict):
    point: NotRequired[list[float]]
    closed: NotRequired[list[str | int]]
    """at least 1 item"""
    rest: NotRequired[list[str | int | None]]
    old: NotRequired[list[str | bool]]
    """at least 2 items"""
    older: NotRequired[list[str]]
    said: NotRequired[list[float]]
    unions: NotRequired[list[str | int]]

@overload
def tuples(**args: Unpack[TuplesArgs]) -> Call[Untyped]:
    """Args:
        closed: at least 1 item
        old: at least 2 items
    """
@overload
def tuples(args: TuplesArgs = ..., /) -> Call[Untyped]: ...
