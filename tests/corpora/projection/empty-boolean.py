# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def no_properties(args: dict[str, Json] = ...) -> Untyped:
    ...

async def true_result() -> Json:
    ...

async def false_result() -> Never:
    ...

async def empty_result() -> Json:
    ...

async def wrong_result() -> Json:
    ...

async def null_result() -> None:
    ...
