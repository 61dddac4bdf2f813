# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def const(
    *,
    kind: Literal["page"],
    version: Literal[2],
    nil: None = ...,
    # Always x.
    typed: Literal["x"] = ...,
    shape: dict[str, Json] = ...,
) -> Untyped:
    ...
