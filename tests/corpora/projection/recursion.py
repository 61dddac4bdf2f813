# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class Both(TypedDict):
    id: NotRequired[str]
    a: NotRequired[str]
    b: NotRequired[str]
    child: NotRequired[Tree]
    both: NotRequired[Both]
    c: NotRequired[str]

class Tree(TypedDict):
    id: NotRequired[str]
    a: NotRequired[str]
    b: NotRequired[str]
    child: NotRequired[Tree]
    both: NotRequired[Both]

class RecursiveRefArguments(TypedDict):
    children: NotRequired[list[RecursiveRefArguments]]

class DynamicArguments(TypedDict):
    data: NotRequired[Json]
    children: NotRequired[list[DynamicArguments]]

Json_: TypeAlias = str | float | bool | list[Json_] | dict[str, Json_] | None

class SelfArguments(TypedDict):
    name: str
    sub: NotRequired[SelfArguments]

class Node(TypedDict):
    value: str
    children: NotRequired[list[Node]]
    parent: NotRequired[Node | None]

async def tree(
    *,
    root: Node,
) -> Node:
    ...

async def self_(args: SelfArguments) -> Untyped:
    ...

async def json(
    *,
    value: Json_ = ...,
) -> Untyped:
    ...

async def dynamic(args: DynamicArguments) -> Untyped:
    ...

async def recursive_ref(args: RecursiveRefArguments) -> Untyped:
    ...

async def merged(
    *,
    tree: Tree = ...,
) -> Untyped:
    ...
