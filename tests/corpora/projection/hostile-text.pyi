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

HostileArgs = TypedDict("HostileArgs", {
    # */ evil(); /*
    "ends": NotRequired[str],
    # a **/ b * / c
    "stars": NotRequired[str],
    # one
    # two
    # three
    # four
    # five
    "lines": NotRequired[str],
    # safeEVIL x
    "bidi": NotRequired[str],
    # hi!
    "tags": NotRequired[str],
    # ab[31mred
    "controls": NotRequired[str],
    # abc 👨‍👩‍👧
    "zero": NotRequired[str],
    # default: "a\u202eb\u0000c*/d"
    "default": NotRequired[str],
    "value": NotRequired[Literal["\U0000202e", "*/", "</script>"]],
    # matches /.*/ ///
    "pattern": NotRequired[str],
    # """ ''' ` ${x} \
    "quotes": NotRequired[str],
    "name*/\U00002028": NotRequired[str],
})

class HostileArgsKeywords(TypedDict):
    # */ evil(); /*
    ends: NotRequired[str]
    # a **/ b * / c
    stars: NotRequired[str]
    # one
    # two
    # three
    # four
    # five
    lines: NotRequired[str]
    # safeEVIL x
    bidi: NotRequired[str]
    # hi!
    tags: NotRequired[str]
    # ab[31mred
    controls: NotRequired[str]
    # abc 👨‍👩‍👧
    zero: NotRequired[str]
    # default: "a\u202eb\u0000c*/d"
    default: NotRequired[str]
    value: NotRequired[Literal["\U0000202e", "*/", "</script>"]]
    # matches /.*/ ///
    pattern: NotRequired[str]
    # """ ''' ` ${x} \
    quotes: NotRequired[str]
    name: NotRequired[str]

@overload
def hostile(**args: Unpack[HostileArgsKeywords]) -> Call[Untyped]:
    """Tool */ text
     */ again

    Args:
        Args */ too
        ends: */ evil(); /*
        stars: a **/ b * / c
        lines: one
            two
            three
            four
            five
        bidi: safeEVIL x
        tags: hi!
        controls: ab[31mred
        zero: abc 👨‍👩‍👧
        default: default: \"a\\u202eb\\u0000c*/d\"
        pattern: matches /.*/ ///
        quotes: \"\"\" ''' ` ${x} \\
    """
@overload
def hostile(args: HostileArgs = ..., /) -> Call[Untyped]: ...
