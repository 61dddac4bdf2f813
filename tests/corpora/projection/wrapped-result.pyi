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

class Tree(dict[str, Any]):
    name: str
    kids: list[Tree]
    @overload
    def __getitem__(self, key: Literal["name"], /) -> str: ...
    @overload
    def __getitem__(self, key: Literal["kids"], /) -> list[Tree]: ...

class SaysNoResult(dict[str, Any]):
    result: int
    def __getitem__(self, key: Literal["result"], /) -> int: ...

class HasNoneResult(dict[str, Any]):
    results: int
    def __getitem__(self, key: Literal["results"], /) -> int: ...
    @overload
    def get(self, key: Literal["results"], default: None = ..., /) -> int | None: ...
    @overload
    def get(self, key: str, default: Any = ..., /) -> Any: ...

class UnmarkedResult(dict[str, Any]):
    result: int
    def __getitem__(self, key: Literal["result"], /) -> int: ...

def count(args: dict[str, Json] = ..., /) -> Call[int]:
    """Returns:
        How many there are.
    """

def names(args: dict[str, Json] = ..., /) -> Call[list[str]]:
    ...

def trees(args: dict[str, Json] = ..., /) -> Call[list[Tree]]:
    ...

def tree(args: dict[str, Json] = ..., /) -> Call[Tree]:
    ...

def maybe(args: dict[str, Json] = ..., /) -> Call[int | None]:
    ...

def anything(args: dict[str, Json] = ..., /) -> Call[Json]:
    ...

def wrong_inside(args: dict[str, Json] = ..., /) -> Call[Json]:
    ...

def says_no(args: dict[str, Json] = ..., /) -> Call[SaysNoResult]:
    ...

def has_none(args: dict[str, Json] = ..., /) -> Call[HasNoneResult]:
    ...

def unmarked(args: dict[str, Json] = ..., /) -> Call[UnmarkedResult]:
    ...
