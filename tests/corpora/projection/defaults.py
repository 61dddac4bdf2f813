# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def defaults(
    *,
    # default: "a \"b\""
    text: str = ...,
    # default: 0.5
    number: float = ...,
    # default: false
    flag: bool = ...,
    # default: []
    list: list[str] = ...,
    # default: {"a":1}
    record: dict[str, Json] = ...,
    nothing: str | None = ...,
    # How many. (default: 30; 1 to 100)
    said: int = ...,
    # default: "x"
    needed: str,
    # for example "a", "b"
    examples: str = ...,
    # default: "*/ alert(1) /*"
    hostile: str = ...,
) -> Untyped:
    ...
