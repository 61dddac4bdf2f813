# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

# The base of it all.
class Base(TypedDict):
    id: str
    # A name.
    name: NotRequired[str]
    x: NotRequired[str]
    y: NotRequired[str]

class Extended(TypedDict):
    extra: str
    id: str
    # A name.
    name: NotRequired[str]
    x: NotRequired[str]
    y: NotRequired[str]

async def ref_siblings(
    *,
    # My own words. (default: {"id":"x"})
    described: Base = ...,
    # The base of it all.
    extended: Extended = ...,
    typed: Base = ...,
    nullable: Base | None = ...,
    titled: Base = ...,
) -> Untyped:
    ...
