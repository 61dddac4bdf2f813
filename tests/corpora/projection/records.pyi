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

# The key "": str
RecordsArgs = TypedDict("RecordsArgs", {
    "user": NotRequired[RecordsArgsUser],
    "closed": NotRequired[RecordsArgsClosed],
    "open": NotRequired[RecordsArgsOpen],
    "typed": NotRequired[RecordsArgsTyped],
    "with-dash": NotRequired[str],
    "with space": NotRequired[str],
    "ключ": NotRequired[str],
    "1st": NotRequired[str],
    "__proto__": NotRequired[str],
    "class": NotRequired[str],
    "quote\"": NotRequired[str],
    "undeclared": Json,
})

class RecordsArgsUser(TypedDict):
    name: str
    address: RecordsArgsUserAddress

class RecordsArgsUserAddress(TypedDict):
    street: NotRequired[str]
    """With number."""
    zip: str

class RecordsArgsClosed(TypedDict):
    a: NotRequired[str]

class RecordsArgsOpen(TypedDict):
    a: NotRequired[str]

class RecordsArgsTyped(TypedDict):
    a: NotRequired[str]

RecordsArgsKeywords = TypedDict("RecordsArgsKeywords", {
    "user": NotRequired[RecordsArgsUser],
    "closed": NotRequired[RecordsArgsClosed],
    "open": NotRequired[RecordsArgsOpen],
    "typed": NotRequired[RecordsArgsTyped],
    "with_dash": NotRequired[str],
    "with_space": NotRequired[str],
    "u43au43bu44eu447": NotRequired[str],
    "_1st": NotRequired[str],
    "unnamed_haf1349": NotRequired[str],
    "__proto__": NotRequired[str],
    "class_": NotRequired[str],
    "quote": NotRequired[str],
    "undeclared": Json,
})

@overload
def records(**args: Unpack[RecordsArgsKeywords]) -> Call[Untyped]:
    ...
@overload
def records(args: RecordsArgs, /) -> Call[Untyped]: ...
