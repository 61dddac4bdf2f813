# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class MapsArgsRecordsValue(TypedDict):
    # An id.
    id: NotRequired[str]

# Other keys: Json
class MapsArgsMixed(TypedDict):
    a: NotRequired[str]

async def maps(
    *,
    labels: dict[str, str] = ...,
    nested: dict[str, dict[str, float | None]] = ...,
    patterns: dict[str, str | int] = ...,
    mixed: MapsArgsMixed = ...,
    # names match /^[a-z]+$/
    named: dict[str, bool] = ...,
    records: dict[str, MapsArgsRecordsValue] = ...,
) -> Untyped:
    ...
