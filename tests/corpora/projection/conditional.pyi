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

class ConditionalArgs(TypedDict):
    country: Literal["us", "nl"]
    zip: NotRequired[str | int]
    postcode: NotRequired[str]

class DependentArgs(TypedDict):
    card: NotRequired[str]
    cvc: NotRequired[str]
    expires: NotRequired[str]

@overload
def conditional(**args: Unpack[ConditionalArgs]) -> Call[Untyped]:
    """Args:
        if country is \"us\": needs zip, zip matches /^\\d{5}$/
    """
@overload
def conditional(args: ConditionalArgs, /) -> Call[Untyped]: ...

@overload
def dependent(**args: Unpack[DependentArgs]) -> Call[Untyped]:
    """Args:
        with card: needs cvc; with cvc: needs card
    """
@overload
def dependent(args: DependentArgs = ..., /) -> Call[Untyped]: ...
