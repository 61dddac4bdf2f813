# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class AllOfArgsChoiceOption2(TypedDict):
    id: str
    b: NotRequired[str]

class AllOfArgsChoiceOption1(TypedDict):
    id: str
    a: NotRequired[str]

class AllOfArgsSameP(TypedDict):
    x: NotRequired[str]
    y: str

class AllOfArgsSame(TypedDict):
    p: NotRequired[AllOfArgsSameP]

class AllOfArgsAlias(TypedDict):
    id: str
    # A name.
    name: NotRequired[str]
    at: NotRequired[str]
    by: NotRequired[str]

class AllOfArgsBase(TypedDict):
    id: str
    # A name.
    name: NotRequired[str]
    at: NotRequired[str]
    by: NotRequired[str]
    extra: NotRequired[str]

class AllOfArgsMerged(TypedDict):
    a: str
    b: NotRequired[int]

async def all_of(
    *,
    # Both.
    merged: AllOfArgsMerged = ...,
    base: AllOfArgsBase = ...,
    # Like base. (default: {})
    alias: AllOfArgsAlias = ...,
    # at most 3 characters
    narrow: str = ...,
    # at least 1
    numbers: int = ...,
    values: Literal["b", "c"] = ...,
    same: AllOfArgsSame = ...,
    impossible: Never = ...,
    choice: AllOfArgsChoiceOption1 | AllOfArgsChoiceOption2 = ...,
    never: Never = ...,
) -> Untyped:
    ...
