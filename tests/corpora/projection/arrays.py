# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class ArraysArgsRecordsItem(TypedDict):
    id: str

async def arrays(
    *,
    plain: list[str] = ...,
    nested: list[list[int]] = ...,
    records: list[ArraysArgsRecordsItem] = ...,
    any: list[Json] = ...,
    nullable: list[str | None] = ...,
    # Names. (each: A name, at most 5 characters)
    described: list[str] = ...,
    nothing: list[Never] = ...,
    untyped: list[str] = ...,
    wrong: list[Json] = ...,
) -> Untyped:
    ...
