# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class InvalidArgsRequired(TypedDict):
    a: NotRequired[str]

InvalidArgs = TypedDict("InvalidArgs", {
    "unknown": Json,
    "number-type": NotRequired[Json],
    "schema-list": NotRequired[Json],
    "schema-null": NotRequired[Json],
    "schema-text": NotRequired[Json],
    "required": NotRequired[InvalidArgsRequired],
    "properties": NotRequired[dict[str, Json]],
    "all-of": NotRequired[Json],
    "members": NotRequired[str],
    "draft3": str,
    "extra": NotRequired[dict[str, Json]],
    "missing": Json,
})

async def invalid(args: InvalidArgs) -> Untyped:
    ...

async def wrong_properties(
    *,
    kept: Json,
) -> Untyped:
    ...

async def odd_type(
    *,
    kept: str = ...,
) -> Untyped:
    ...
