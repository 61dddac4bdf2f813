# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class WithSpace_hde25a2(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["with-space"]]

class WithSpace_hb45463(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["with space"]]

class String(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["string"]]

class Promise(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]
    e: NotRequired[Literal["Promise"]]

class ThreeItem(TypedDict):
    a: NotRequired[int]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]

class OneItem(TypedDict):
    a: NotRequired[str]
    b: NotRequired[str]
    c: NotRequired[str]
    d: NotRequired[str]

async def one(
    *,
    p: OneItem = ...,
    q: OneItem = ...,
) -> Untyped:
    ...

async def two(
    *,
    p: OneItem = ...,
    q: OneItem = ...,
) -> Untyped:
    ...

async def three(
    *,
    p: ThreeItem = ...,
    q: ThreeItem = ...,
) -> Untyped:
    ...

async def four(
    *,
    p: Promise = ...,
    q: Promise = ...,
    r: String = ...,
    s: String = ...,
    t: WithSpace_hb45463 = ...,
    u: WithSpace_hb45463 = ...,
    v: WithSpace_hde25a2 = ...,
    w: WithSpace_hde25a2 = ...,
) -> Untyped:
    ...
