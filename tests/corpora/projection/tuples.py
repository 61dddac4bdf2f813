# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def tuples(
    *,
    point: list[float] = ...,
    # at least 1 item
    closed: list[str | int] = ...,
    rest: list[str | int | None] = ...,
    # at least 2 items
    old: list[str | bool] = ...,
    older: list[str] = ...,
    said: list[float] = ...,
    unions: list[str | int] = ...,
) -> Untyped:
    ...
