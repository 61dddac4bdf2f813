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

class ArraysArgs(TypedDict):
    plain: NotRequired[list[str]]
    nested: NotRequired[list[list[int]]]
    records: NotRequired[list[ArraysArgsRecordsItem]]
    any: NotRequired[list[Json]]
    nullable: NotRequired[list[str | None]]
    described: NotRequired[list[str]]
    """Names. (each: A name, at most 5 characters)"""
    nothing: NotRequired[list[Never]]
    untyped: NotRequired[list[str]]
    wrong: NotRequired[list[Json]]

class ArraysArgsRecordsItem(TypedDict):
    id: str

@overload
def arrays(**args: Unpack[ArraysArgs]) -> Call[Untyped]:
    """Args:
        described: Names. (each: A name, at most 5 characters)
    """
@overload
def arrays(args: ArraysArgs = ..., /) -> Call[Untyped]: ...
