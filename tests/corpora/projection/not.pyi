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

class NotArgs(TypedDict):
    other: NotRequired[str]
    """not \"admin\""""
    values: NotRequired[int]
    """not 1 or 2"""
    without: NotRequired[NotArgsWithout]
    """not with b"""
    nothing: NotRequired[Never]
    """not {}"""
    schema: NotRequired[Json]
    """not {\"type\":\"string\"}"""
    all: NotRequired[str]

class NotArgsWithout(TypedDict):
    a: NotRequired[str]

@overload
def not_(**args: Unpack[NotArgs]) -> Call[Untyped]:
    """Args:
        other: not \"admin\"
        values: not 1 or 2
        without: not with b
        nothing: not {}
        schema: not {\"type\":\"string\"}
    """
@overload
def not_(args: NotArgs = ..., /) -> Call[Untyped]: ...
