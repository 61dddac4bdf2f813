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

class MapsArgs(TypedDict):
    labels: NotRequired[dict[str, str]]
    nested: NotRequired[dict[str, dict[str, float | None]]]
    patterns: NotRequired[dict[str, str | int]]
    mixed: NotRequired[MapsArgsMixed]
    named: NotRequired[dict[str, bool]]
    """names match /^[a-z]+$/"""
    records: NotRequired[dict[str, MapsArgsRecordsValue]]

class MapsArgsMixed(TypedDict):
    a: NotRequired[str]

class MapsArgsRecordsValue(TypedDict):
    id: NotRequired[str]
    """An id."""

@overload
def maps(**args: Unpack[MapsArgs]) -> Call[Untyped]:
    """Args:
        named: names match /^[a-z]+$/
    """
@overload
def maps(args: MapsArgs = ..., /) -> Call[Untyped]: ...
