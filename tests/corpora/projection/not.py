# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class NotArgsWithout(TypedDict):
    a: NotRequired[str]

async def not_(
    *,
    # not "admin"
    other: str = ...,
    # not 1 or 2
    values: int = ...,
    # not with b
    without: NotArgsWithout = ...,
    # not {}
    nothing: Never = ...,
    # not {"type":"string"}
    schema: Json = ...,
    all: str = ...,
) -> Untyped:
    ...
