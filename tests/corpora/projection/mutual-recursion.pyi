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

Expression: TypeAlias = float | Call_

class MutualArgs(TypedDict):
    expression: NotRequired[Expression]

class EndlessArgs(TypedDict):
    a: NotRequired[Json]
    c: NotRequired[Json]
    d: NotRequired[str | int]
    n: NotRequired[None]

class Call_(TypedDict):
    function: str
    arguments: list[Expression]

@overload
def mutual(**args: Unpack[MutualArgs]) -> Call[Untyped]:
    ...
@overload
def mutual(args: MutualArgs = ..., /) -> Call[Untyped]: ...

@overload
def endless(**args: Unpack[EndlessArgs]) -> Call[Untyped]:
    ...
@overload
def endless(args: EndlessArgs = ..., /) -> Call[Untyped]: ...
