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

DefaultsArgs = TypedDict("DefaultsArgs", {
    # default: "a \"b\""
    "text": NotRequired[str],
    # default: 0.5
    "number": NotRequired[float],
    # default: false
    "flag": NotRequired[bool],
    # default: []
    "list": NotRequired[list[str]],
    # default: {"a":1}
    "record": NotRequired[dict[str, Json]],
    "nothing": NotRequired[str | None],
    # How many. (default: 30; 1 to 100)
    "said": NotRequired[int],
    # default: "x"
    "needed": str,
    # for example "a", "b"
    "examples": NotRequired[str],
    # default: "*/ alert(1) /*"
    "hostile": NotRequired[str],
})

@overload
def defaults(**args: Unpack[DefaultsArgs]) -> Call[Untyped]:
    """Args:
        text: default: \"a \\\"b\\\"\"
        number: default: 0.5
        flag: default: false
        list: default: []
        record: default: {\"a\":1}
        said: How many. (default: 30; 1 to 100)
        needed: default: \"x\"
        examples: for example \"a\", \"b\"
        hostile: default: \"*/ alert(1) /*\"
    """
@overload
def defaults(args: DefaultsArgs, /) -> Call[Untyped]: ...
