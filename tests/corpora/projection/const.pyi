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

class ConstArgs(TypedDict):
    kind: Literal["page"]
    version: Literal[2]
    nil: NotRequired[None]
    typed: NotRequired[Literal["x"]]
    """Always x."""
    shape: NotRequired[dict[str, Json]]

@overload
def const(**args: Unpack[ConstArgs]) -> Call[Untyped]:
    """Args:
        typed: Always x.
    """
@overload
def const(args: ConstArgs, /) -> Call[Untyped]: ...
