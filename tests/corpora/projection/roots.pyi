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

class NullableRootArgs(TypedDict):
    a: NotRequired[str]

class RefRootArgs(TypedDict):
    a: str

class A(TypedDict):
    a: str

class B(TypedDict):
    b: str

class PartlyObjectArgs(TypedDict):
    a: NotRequired[str]

class AllOfRootArgs(TypedDict):
    a: str
    b: NotRequired[str]

class ArrayResultResultItem(dict[str, Any]):
    id: int
    def __getitem__(self, key: Literal["id"], /) -> int: ...

class NullableResultResult(dict[str, Any]):
    id: int
    def __getitem__(self, key: Literal["id"], /) -> int: ...

class UnionResultResultOption1(dict[str, Any]):
    ok: Literal[True]
    value: str
    @overload
    def __getitem__(self, key: Literal["ok"], /) -> Literal[True]: ...
    @overload
    def __getitem__(self, key: Literal["value"], /) -> str: ...

class UnionResultResultOption2(dict[str, Any]):
    ok: Literal[False]
    error: str
    """What went wrong."""
    @overload
    def __getitem__(self, key: Literal["ok"], /) -> Literal[False]: ...
    @overload
    def __getitem__(self, key: Literal["error"], /) -> str: ...

def string_root(args: dict[str, Json] = ..., /, **named: Json) -> Call[Untyped]:
    ...

def array_root(args: dict[str, Json] = ..., /, **named: Json) -> Call[Untyped]:
    ...

@overload
def nullable_root(**args: Unpack[NullableRootArgs]) -> Call[Untyped]:
    ...
@overload
def nullable_root(args: NullableRootArgs = ..., /) -> Call[Untyped]: ...

@overload
def ref_root(**args: Unpack[RefRootArgs]) -> Call[Untyped]:
    ...
@overload
def ref_root(args: RefRootArgs, /) -> Call[Untyped]: ...

def ref_nowhere(args: dict[str, Json] = ..., /, **named: Json) -> Call[Untyped]:
    ...

def any_of_root(args: A | B, /) -> Call[Untyped]:
    ...

@overload
def partly_object(**args: Unpack[PartlyObjectArgs]) -> Call[Untyped]:
    ...
@overload
def partly_object(args: PartlyObjectArgs = ..., /) -> Call[Untyped]: ...

@overload
def all_of_root(**args: Unpack[AllOfRootArgs]) -> Call[Untyped]:
    ...
@overload
def all_of_root(args: AllOfRootArgs, /) -> Call[Untyped]: ...

def array_result(args: dict[str, Json] = ..., /) -> Call[list[ArrayResultResultItem]]:
    ...

def string_result(args: dict[str, Json] = ..., /) -> Call[str]:
    ...

def nullable_result(args: dict[str, Json] = ..., /) -> Call[NullableResultResult | None]:
    ...

def union_result(args: dict[str, Json] = ..., /) -> Call[UnionResultResultOption1 | UnionResultResultOption2]:
    ...
