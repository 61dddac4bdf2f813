# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

Expression: TypeAlias = float | Call_

class Call_(TypedDict):
    function: str
    arguments: list[Expression]

async def mutual(
    *,
    expression: Expression = ...,
) -> Untyped:
    ...

async def endless(
    *,
    a: Json = ...,
    c: Json = ...,
    d: str | int = ...,
    n: None = ...,
) -> Untyped:
    ...
