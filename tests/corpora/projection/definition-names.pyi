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

class OneItem(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]

class ThreeItem(TypedDict):
    a: NotRequired[int]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]

class Promise(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["Promise"]]

class String(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["string"]]

class WithSpace_hb45463(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["with space"]]

class WithSpace_hde25a2(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["with-space"]]

class OneArgs(TypedDict):
    p: NotRequired[OneItem]
    q: NotRequired[OneItem]

class TwoArgs(TypedDict):
    p: NotRequired[OneItem]
    q: NotRequired[OneItem]

class ThreeArgs(TypedDict):
    p: NotRequired[ThreeItem]
    q: NotRequired[ThreeItem]

class FourArgs(TypedDict):
    p: NotRequired[Promise]
    q: NotRequired[Promise]
    r: NotRequired[String]
    s: NotRequired[String]
    t: NotRequired[WithSpace_hb45463]
    u: NotRequired[WithSpace_hb45463]
    v: NotRequired[WithSpace_hde25a2]
    w: NotRequired[WithSpace_hde25a2]

@overload
def one(**args: Unpack[OneArgs]) -> Call[Untyped]:
    ...
@overload
def one(args: OneArgs = ..., /) -> Call[Untyped]: ...

@overload
def two(**args: Unpack[TwoArgs]) -> Call[Untyped]:
    ...
@overload
def two(args: TwoArgs = ..., /) -> Call[Untyped]: ...

@overload
def three(**args: Unpack[ThreeArgs]) -> Call[Untyped]:
    ...
@overload
def three(args: ThreeArgs = ..., /) -> Call[Untyped]: ...

@overload
def four(**args: Unpack[FourArgs]) -> Call[Untyped]:
    ...
@overload
def four(args: FourArgs = ..., /) -> Call[Untyped]: ...
