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

class Thing(TypedDict):
    id: str
    """Its id."""
    inner: NotRequired[ThingInner]
    more: NotRequired[str]
    most: NotRequired[str]

RefsArgs = TypedDict("RefsArgs", {
    "def": NotRequired[Thing],
    "again": NotRequired[Thing],
    "old": NotRequired[float],
    "pointer": NotRequired[Thing],
    "deep": NotRequired[Inner],
    # Escaped.
    "escaped": NotRequired[str],
    "anchored": NotRequired[bool],
    "by-id": NotRequired[int],
    "self-id": NotRequired[Literal["red", "green"]],
    "item": NotRequired[int],
    "tuple": NotRequired[list[str | int]],
    "chain": NotRequired[Thing],
    "missing": NotRequired[Json],
    "network": NotRequired[Json],
    "file": NotRequired[Json],
    "wrong": NotRequired[Json],
    "number": NotRequired[Json],
    "true": NotRequired[Json],
})

class Inner(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]

class ThingInner(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]

class RefsArgsKeywords(TypedDict):
    def_: NotRequired[Thing]
    again: NotRequired[Thing]
    old: NotRequired[float]
    pointer: NotRequired[Thing]
    deep: NotRequired[Inner]
    # Escaped.
    escaped: NotRequired[str]
    anchored: NotRequired[bool]
    by_id: NotRequired[int]
    self_id: NotRequired[Literal["red", "green"]]
    item: NotRequired[int]
    tuple: NotRequired[list[str | int]]
    chain: NotRequired[Thing]
    missing: NotRequired[Json]
    network: NotRequired[Json]
    file: NotRequired[Json]
    wrong: NotRequired[Json]
    number: NotRequired[Json]
    true: NotRequired[Json]

@overload
def refs(**args: Unpack[RefsArgsKeywords]) -> Call[Untyped]:
    """Args:
        escaped: Escaped.
    """
@overload
def refs(args: RefsArgs = ..., /) -> Call[Untyped]: ...
