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

EnumsArgs = TypedDict("EnumsArgs", {
    "color": NotRequired[Literal["red", "green", "blue"]],
    "odd": NotRequired[Literal["", "two words", "emoji 🎉", "quote\"s", "back\\slash", "new\nline", "*/", "`${x}`", "\U00002028", "constructor", "42"]],
    "level": NotRequired[Literal[1, 2, 3, -1]],
    "ratio": NotRequired[float],
    "mixed": NotRequired[Literal["auto", 1, True] | dict[str, Json] | list[Json] | None],
    "maybe": NotRequired[Literal["a", "b"] | None],
    "filtered": NotRequired[Literal["a", "b"]],
    "twice": NotRequired[Literal["a", "b"]],
    "both": NotRequired[bool],
    "only": NotRequired[None],
    "none": NotRequired[Json],
    "wrong": NotRequired[Json],
    "list": NotRequired[list[Literal["a", "b"]]],
})

@overload
def enums(**args: Unpack[EnumsArgs]) -> Call[Untyped]:
    ...
@overload
def enums(args: EnumsArgs = ..., /) -> Call[Untyped]: ...
