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

class DocumentedArgs(TypedDict):
    old: NotRequired[str]
    """Use new.
    Deprecated.
    """
    titled: NotRequired[str]
    """A Readable Title"""
    same_title: NotRequired[str]
    lines: NotRequired[str]
    """First line.

    - one
    - two
    (default: \"x\")
    """
    secret: NotRequired[str]
    """write-only"""
    read: NotRequired[str]
    """read-only"""
    windows: NotRequired[str]
    """one
    two
    """

class DocumentedResult(dict[str, Any]):
    id: str
    """The id."""
    def __getitem__(self, key: Literal["id"], /) -> str: ...

@overload
def documented(**args: Unpack[DocumentedArgs]) -> Call[DocumentedResult]:
    """Does it.

    At length, over
    several lines.
    (read-only)

    Args:
        All of it.
        old: Use new.
            Deprecated.
        titled: A Readable Title
        lines: First line.

            - one
            - two
            (default: \"x\")
        secret: write-only
        read: read-only
        windows: one
            two

    Returns:
        What was made.
    """
@overload
def documented(args: DocumentedArgs = ..., /) -> Call[DocumentedResult]: ...

def titled(args: dict[str, Json] = ..., /) -> Call[Untyped]:
    """Only a title"""

def destructive(args: dict[str, Json] = ..., /) -> Call[Untyped]:
    """Deletes. (destructive; idempotent)"""

def additive(args: dict[str, Json] = ..., /) -> Call[Untyped]:
    """Adds. (not destructive)"""

def deprecated(args: dict[str, Json] = ..., /) -> Call[Untyped]:
    """Gone soon.
    Deprecated.
    """
