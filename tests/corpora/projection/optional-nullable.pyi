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

OptionalNullableArgs = TypedDict("OptionalNullableArgs", {
    "required": str,
    "optional": NotRequired[str],
    "nullable": str | None,
    "both": NotRequired[str | None],
    "openapi": NotRequired[str | None],
    "list": NotRequired[list[str | None]],
    "record": NotRequired[OptionalNullableArgsRecord | None],
    "several": NotRequired[str | int | None],
})

class OptionalNullableArgsRecord(TypedDict):
    a: NotRequired[str]
    """An a."""

@overload
def optional_nullable(**args: Unpack[OptionalNullableArgs]) -> Call[Untyped]:
    ...
@overload
def optional_nullable(args: OptionalNullableArgs, /) -> Call[Untyped]: ...
