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

class AllOfArgs(TypedDict):
    merged: NotRequired[AllOfArgsMerged]
    """Both."""
    base: NotRequired[AllOfArgsBase]
    alias: NotRequired[AllOfArgsAlias]
    """Like base. (default: {})"""
    narrow: NotRequired[str]
    """at most 3 characters"""
    numbers: NotRequired[int]
    """at least 1"""
    values: NotRequired[Literal["b", "c"]]
    same: NotRequired[AllOfArgsSame]
    impossible: NotRequired[Never]
    choice: NotRequired[AllOfArgsChoiceOption1 | AllOfArgsChoiceOption2]
    never: NotRequired[Never]

class AllOfArgsMerged(TypedDict):
    a: str
    b: NotRequired[int]

class AllOfArgsBase(TypedDict):
    id: str
    name: NotRequired[str]
    """A name."""
    at: NotRequired[str]
    by: NotRequired[str]
    extra: NotRequired[str]

class AllOfArgsAlias(TypedDict):
    id: str
    name: NotRequired[str]
    """A name."""
    at: NotRequired[str]
    by: NotRequired[str]

class AllOfArgsSame(TypedDict):
    p: NotRequired[AllOfArgsSameP]

class AllOfArgsSameP(TypedDict):
    x: NotRequired[str]
    y: str

class AllOfArgsChoiceOption1(TypedDict):
    id: str
    a: NotRequired[str]

class AllOfArgsChoiceOption2(TypedDict):
    id: str
    b: NotRequired[str]

@overload
def all_of(**args: Unpack[AllOfArgs]) -> Call[Untyped]:
    """Args:
        merged: Both.
        alias: Like base. (default: {})
        narrow: at most 3 characters
        numbers: at least 1
    """
@overload
def all_of(args: AllOfArgs = ..., /) -> Call[Untyped]: ...
