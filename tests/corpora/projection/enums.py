# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def enums(
    *,
    color: Literal["red", "green", "blue"] = ...,
    odd: Literal["", "two words", "emoji 🎉", "quote\"s", "back\\slash", "new\nline", "*/", "`${x}`", "\U00002028", "constructor", "42"] = ...,
    level: Literal[1, 2, 3, -1] = ...,
    ratio: float = ...,
    mixed: Literal["auto", 1, True] | dict[str, Json] | list[Json] | None = ...,
    maybe: Literal["a", "b"] | None = ...,
    filtered: Literal["a", "b"] = ...,
    twice: Literal["a", "b"] = ...,
    both: bool = ...,
    only: None = ...,
    none: Json = ...,
    wrong: Json = ...,
    list: list[Literal["a", "b"]] = ...,
) -> Untyped:
    ...
