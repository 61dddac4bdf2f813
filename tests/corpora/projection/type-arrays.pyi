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

TypeArraysArgs = TypedDict("TypeArraysArgs", {
    "scalar": NotRequired[str | float | bool],
    "nullable": NotRequired[TypeArraysArgsNullable | None],
    "list": NotRequired[list[str] | str],
    "all": NotRequired[str | float | bool | dict[str, Json] | list[Json] | None],
    "one": NotRequired[str],
    "repeated": NotRequired[str],
    "empty": NotRequired[Json],
    "unknown": NotRequired[Json],
})

class TypeArraysArgsNullable(TypedDict):
    a: NotRequired[str]

@overload
def type_arrays(**args: Unpack[TypeArraysArgs]) -> Call[Untyped]:
    ...
@overload
def type_arrays(args: TypeArraysArgs = ..., /) -> Call[Untyped]: ...
