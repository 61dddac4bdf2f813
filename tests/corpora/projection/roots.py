# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class UnionResultResultOption2(TypedDict):
    ok: Literal[False]
    # What went wrong.
    error: str

class UnionResultResultOption1(TypedDict):
    ok: Literal[True]
    value: str

class NullableResultResult(TypedDict):
    id: int

class ArrayResultResultItem(TypedDict):
    id: int

class B(TypedDict):
    b: str

class A(TypedDict):
    a: str

async def string_root(args: dict[str, Json] = ...) -> Untyped:
    ...

async def array_root(args: dict[str, Json] = ...) -> Untyped:
    ...

async def nullable_root(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def ref_root(
    *,
    a: str,
) -> Untyped:
    ...

async def ref_nowhere(args: dict[str, Json] = ...) -> Untyped:
    ...

async def any_of_root(args: A | B) -> Untyped:
    ...

async def partly_object(
    *,
    a: str = ...,
) -> Untyped:
    ...

async def all_of_root(
    *,
    a: str,
    b: str = ...,
) -> Untyped:
    ...

async def array_result() -> list[ArrayResultResultItem]:
    ...

async def string_result() -> str:
    ...

async def nullable_result() -> NullableResultResult | None:
    ...

async def union_result() -> UnionResultResultOption1 | UnionResultResultOption2:
    ...
