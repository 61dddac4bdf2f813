# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

async def formats(
    *,
    # format uuid
    id: str = ...,
    # When it happened. (format date-time)
    at: str = ...,
    # 0 to 255
    small: int = ...,
    # more than 0
    above: float = ...,
    # more than 1, less than 9
    old: int = ...,
    # multiple of 2
    even: int = ...,
    # 3 to 10 characters; matches /^[A-Z]{2}\d+$/
    code: str = ...,
    # at least 1 character
    one: str = ...,
    # exactly 4 characters
    pin: str = ...,
    # at least 1 item; no item twice
    tags: list[str] = ...,
    # media type image/png; encoding base64
    file: str = ...,
    safe: int = ...,
    huge: int = ...,
) -> Untyped:
    ...
