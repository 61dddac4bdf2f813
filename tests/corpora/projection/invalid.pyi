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

InvalidArgs = TypedDict("InvalidArgs", {
    "unknown": Json,
    "number-type": NotRequired[Json],
    "schema-list": NotRequired[Json],
    "schema-null": NotRequired[Json],
    "schema-text": NotRequired[Json],
    "required": NotRequired[InvalidArgsRequired],
    "properties": NotRequired[dict[str, Json]],
    "all-of": NotRequired[Json],
    "members": NotRequired[str],
    "draft3": str,
    "extra": NotRequired[dict[str, Json]],
    "missing": Json,
})

class InvalidArgsRequired(TypedDict):
    a: NotRequired[str]

class WrongPropertiesArgs(TypedDict):
    kept: Json

class OddTypeArgs(TypedDict):
    kept: NotRequired[str]

class InvalidArgsKeywords(TypedDict):
    unknown: Json
    number_type: NotRequired[Json]
    schema_list: NotRequired[Json]
    schema_null: NotRequired[Json]
    schema_text: NotRequired[Json]
    required: NotRequired[InvalidArgsRequired]
    properties: NotRequired[dict[str, Json]]
    all_of: NotRequired[Json]
    members: NotRequired[str]
    draft3: str
    extra: NotRequired[dict[str, Json]]
    missing: Json

@overload
def invalid(**args: Unpack[InvalidArgsKeywords]) -> Call[Untyped]:
    ...
@overload
def invalid(args: InvalidArgs, /) -> Call[Untyped]: ...

@overload
def wrong_properties(**args: Unpack[WrongPropertiesArgs]) -> Call[Untyped]:
    ...
@overload
def wrong_properties(args: WrongPropertiesArgs, /) -> Call[Untyped]: ...

@overload
def odd_type(**args: Unpack[OddTypeArgs]) -> Call[Untyped]:
    ...
@overload
def odd_type(args: OddTypeArgs = ..., /) -> Call[Untyped]: ...
