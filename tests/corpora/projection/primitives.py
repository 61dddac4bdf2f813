# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def all_types(
    *,
    text: str,
    count: int,
    ratio: float,
    flag: bool,
    nothing: None = ...,
    list: list[Json] = ...,
    thing: dict[str, Json] = ...,
) -> Untyped:
    ...
