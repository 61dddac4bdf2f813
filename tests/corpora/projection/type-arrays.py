# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class TypeArraysArgsNullable(TypedDict):
    a: NotRequired[str]

async def type_arrays(
    *,
    scalar: str | float | bool = ...,
    nullable: TypeArraysArgsNullable | None = ...,
    list: list[str] | str = ...,
    all: str | float | bool | dict[str, Json] | list[Json] | None = ...,
    one: str = ...,
    repeated: str = ...,
    empty: Json = ...,
    unknown: Json = ...,
) -> Untyped:
    ...
