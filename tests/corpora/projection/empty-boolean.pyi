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

def no_properties(args: dict[str, Json] = ..., /, **named: Json) -> Call[Untyped]:
    ...

def true_result(args: dict[str, Json] = ..., /) -> Call[Json]:
    ...

def false_result(args: dict[str, Json] = ..., /) -> Call[Never]:
    ...

def empty_result(args: dict[str, Json] = ..., /) -> Call[Json]:
    ...

def wrong_result(args: dict[str, Json] = ..., /) -> Call[Json]:
    ...

def null_result(args: dict[str, Json] = ..., /) -> Call[None]:
    ...
