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

AnyOfArgs = TypedDict("AnyOfArgs", {
    "simple": NotRequired[str | int],
    "same": NotRequired[str],
    # - "b": The second.
    "literals": NotRequired[Literal["a", "b", "c", "d"]],
    "open-literals": NotRequired[Literal["a", "b"] | str],
    "numbers": NotRequired[float],
    "records": NotRequired[AnyOfArgsRecordsOption1 | AnyOfArgsRecordsOption2],
    "anything": NotRequired[Json],
    "nested": NotRequired[str | bool | int | None],
    "shared": NotRequired[AnyOfArgsSharedOption1 | AnyOfArgsSharedOption2],
    # needs at least one of: a; b
    "needs": NotRequired[AnyOfArgsNeeds],
    "list": NotRequired[list[str | int]],
    # Outer.
    "described": NotRequired[str | int],
    "empty": NotRequired[Json],
    # matches /^a/
    "typed": NotRequired[str],
    "impossible": NotRequired[str],
})

class AnyOfArgsRecordsOption1(TypedDict):
    a: str

class AnyOfArgsRecordsOption2(TypedDict):
    b: str
    """A b."""

class AnyOfArgsSharedOption1(TypedDict):
    id: str
    a: str

class AnyOfArgsSharedOption2(TypedDict):
    id: str
    b: NotRequired[str]

class AnyOfArgsNeeds(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]

AnyOfArgsKeywords = TypedDict("AnyOfArgsKeywords", {
    "simple": NotRequired[str | int],
    "same": NotRequired[str],
    # - "b": The second.
    "literals": NotRequired[Literal["a", "b", "c", "d"]],
    "open_literals": NotRequired[Literal["a", "b"] | str],
    "numbers": NotRequired[float],
    "records": NotRequired[AnyOfArgsRecordsOption1 | AnyOfArgsRecordsOption2],
    "anything": NotRequired[Json],
    "nested": NotRequired[str | bool | int | None],
    "shared": NotRequired[AnyOfArgsSharedOption1 | AnyOfArgsSharedOption2],
    # needs at least one of: a; b
    "needs": NotRequired[AnyOfArgsNeeds],
    "list": NotRequired[list[str | int]],
    # Outer.
    "described": NotRequired[str | int],
    "empty": NotRequired[Json],
    # matches /^a/
    "typed": NotRequired[str],
    "impossible": NotRequired[str],
})

@overload
def any_of(**args: Unpack[AnyOfArgsKeywords]) -> Call[Untyped]:
    """Args:
        literals: - \"b\": The second.
        needs: needs at least one of: a; b
        described: Outer.
        typed: matches /^a/
    """
@overload
def any_of(args: AnyOfArgs = ..., /) -> Call[Untyped]: ...
