# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class Dog(TypedDict):
    petType: str
    name: NotRequired[str]
    bark: NotRequired[bool]
    color: NotRequired[str]
    age: NotRequired[float]

class Cat(TypedDict):
    petType: str
    name: NotRequired[str]
    lives: NotRequired[int]
    color: NotRequired[str]
    age: NotRequired[float]

class RootChoiceArgsOption2(TypedDict):
    by_name: str

class RootChoiceArgsOption1(TypedDict):
    by_id: str

class DrawArgsLooseOption2(TypedDict):
    id: NotRequired[str]

class DrawArgsShapeSquare(TypedDict):
    kind: Literal["square"]
    side: float

class DrawArgsShapeCircle(TypedDict):
    kind: Literal["circle"]
    radius: float

async def draw(
    *,
    shape: DrawArgsShapeCircle | DrawArgsShapeSquare,
    loose: str | DrawArgsLooseOption2 = ...,
    # - "fast": Fast
    # - "slow": Takes its time.
    options: Literal["fast", "slow"] = ...,
) -> Untyped:
    ...

async def discriminated(
    *,
    pet: Cat | Dog = ...,
    pets: list[Cat | Dog] = ...,
) -> Untyped:
    ...

async def root_choice(args: RootChoiceArgsOption1 | RootChoiceArgsOption2) -> Untyped:
    ...

async def exactly_one(
    *,
    id: str = ...,
    name: str = ...,
) -> Untyped:
    """Arguments: needs exactly one of: id; name"""
