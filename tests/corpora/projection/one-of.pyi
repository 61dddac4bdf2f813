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

class Cat(TypedDict):
    petType: str
    name: NotRequired[str]
    lives: NotRequired[int]
    color: NotRequired[str]
    age: NotRequired[float]

class Dog(TypedDict):
    petType: str
    name: NotRequired[str]
    bark: NotRequired[bool]
    color: NotRequired[str]
    age: NotRequired[float]

class DrawArgs(TypedDict):
    shape: DrawArgsShapeCircle | DrawArgsShapeSquare
    loose: NotRequired[str | DrawArgsLooseOption2]
    options: NotRequired[Literal["fast", "slow"]]
    """- \"fast\": Fast
    - \"slow\": Takes its time.
    """

class DrawArgsShapeCircle(TypedDict):
    kind: Literal["circle"]
    radius: float

class DrawArgsShapeSquare(TypedDict):
    kind: Literal["square"]
    side: float

class DrawArgsLooseOption2(TypedDict):
    id: NotRequired[str]

class DiscriminatedArgs(TypedDict):
    pet: NotRequired[Cat | Dog]
    pets: NotRequired[list[Cat | Dog]]

class RootChoiceArgsOption1(TypedDict):
    by_id: str

class RootChoiceArgsOption2(TypedDict):
    by_name: str

class ExactlyOneArgs(TypedDict):
    id: NotRequired[str]
    name: NotRequired[str]

@overload
def draw(**args: Unpack[DrawArgs]) -> Call[Untyped]:
    """Args:
        options: - \"fast\": Fast
            - \"slow\": Takes its time.
    """
@overload
def draw(args: DrawArgs, /) -> Call[Untyped]: ...

@overload
def discriminated(**args: Unpack[DiscriminatedArgs]) -> Call[Untyped]:
    ...
@overload
def discriminated(args: DiscriminatedArgs = ..., /) -> Call[Untyped]: ...

def root_choice(args: RootChoiceArgsOption1 | RootChoiceArgsOption2, /) -> Call[Untyped]:
    ...

@overload
def exactly_one(**args: Unpack[ExactlyOneArgs]) -> Call[Untyped]:
    """Args:
        needs exactly one of: id; name
    """
@overload
def exactly_one(args: ExactlyOneArgs = ..., /) -> Call[Untyped]: ...
