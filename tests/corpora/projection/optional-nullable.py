# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class OptionalNullableArgsRecord(TypedDict):
    # An a.
    a: NotRequired[str]

async def optional_nullable(
    *,
    required: str,
    optional: str = ...,
    nullable: str | None,
    both: str | None = ...,
    openapi: str | None = ...,
    list: list[str | None] = ...,
    record: OptionalNullableArgsRecord | None = ...,
    several: str | int | None = ...,
) -> Untyped:
    ...
