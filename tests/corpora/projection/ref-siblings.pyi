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

class Base(TypedDict):
    """The base of it all."""
    id: str
    name: NotRequired[str]
    """A name."""
    x: NotRequired[str]
    y: NotRequired[str]

class RefSiblingsArgs(TypedDict):
    described: NotRequired[Base]
    """My own words. (default: {\"id\":\"x\"})"""
    extended: NotRequired[Extended]
    """The base of it all."""
    typed: NotRequired[Base]
    nullable: NotRequired[Base | None]
    titled: NotRequired[Base]

class Extended(TypedDict):
    extra: str
    id: str
    name: NotRequired[str]
    """A name."""
    x: NotRequired[str]
    y: NotRequired[str]

@overload
def ref_siblings(**args: Unpack[RefSiblingsArgs]) -> Call[Untyped]:
    """Args:
        described: My own words. (default: {\"id\":\"x\"})
        extended: The base of it all.
    """
@overload
def ref_siblings(args: RefSiblingsArgs = ..., /) -> Call[Untyped]: ...
