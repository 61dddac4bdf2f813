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

class FormatsArgs(TypedDict):
    id: NotRequired[str]
    """format uuid"""
    at: NotRequired[str]
    """When it happened. (format date-time)"""
    small: NotRequired[int]
    """0 to 255"""
    above: NotRequired[float]
    """more than 0"""
    old: NotRequired[int]
    """more than 1, less than 9"""
    even: NotRequired[int]
    """multiple of 2"""
    code: NotRequired[str]
    """3 to 10 characters; matches /^[A-Z]{2}\\d+$/"""
    one: NotRequired[str]
    """at least 1 character"""
    pin: NotRequired[str]
    """exactly 4 characters"""
    tags: NotRequired[list[str]]
    """at least 1 item; no item twice"""
    file: NotRequired[str]
    """media type image/png; encoding base64"""
    safe: NotRequired[int]
    huge: NotRequired[int]

@overload
def formats(**args: Unpack[FormatsArgs]) -> Call[Untyped]:
    """Args:
        id: format uuid
        at: When it happened. (format date-time)
        small: 0 to 255
        above: more than 0
        old: more than 1, less than 9
        even: multiple of 2
        code: 3 to 10 characters; matches /^[A-Z]{2}\\d+$/
        one: at least 1 character
        pin: exactly 4 characters
        tags: at least 1 item; no item twice
        file: media type image/png; encoding base64
    """
@overload
def formats(args: FormatsArgs = ..., /) -> Call[Untyped]: ...
