# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def free_form(
    *,
    any: Json,
    anything: Json = ...,
    # Whatever you like.
    described: Json = ...,
    object: dict[str, Json] = ...,
    open: dict[str, Json] = ...,
    empty: dict[str, Json] = ...,
    never: Never = ...,
) -> dict[str, Json]:
    ...

async def only_object() -> Untyped:
    ...

async def open_object(args: dict[str, Json] = ...) -> Untyped:
    ...

async def closed_object() -> Untyped:
    ...
