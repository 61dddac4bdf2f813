# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class Thing(TypedDict):
    # Its id.
    id: str
    inner: NotRequired[ThingInner]
    more: NotRequired[str]
    most: NotRequired[str]

class ThingInner(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]

class Inner(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]

RefsArgs = TypedDict("RefsArgs", {
    "def": NotRequired[Thing],
    "again": NotRequired[Thing],
    "old": NotRequired[float],
    "pointer": NotRequired[Thing],
    "deep": NotRequired[Inner],
    # Escaped.
    "escaped": NotRequired[str],
    "anchored": NotRequired[bool],
    "by-id": NotRequired[int],
    "self-id": NotRequired[Literal["red", "green"]],
    "item": NotRequired[int],
    "tuple": NotRequired[list[str | int]],
    "chain": NotRequired[Thing],
    "missing": NotRequired[Json],
    "network": NotRequired[Json],
    "file": NotRequired[Json],
    "wrong": NotRequired[Json],
    "number": NotRequired[Json],
    "true": NotRequired[Json],
})

async def refs(args: RefsArgs = ...) -> Untyped:
    ...
