# tools.server

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

# Other keys: int
class RecordsArgsTyped(TypedDict):
    a: NotRequired[str]

# Other keys: Json
class RecordsArgsOpen(TypedDict):
    a: NotRequired[str]

class RecordsArgsClosed(TypedDict):
    a: NotRequired[str]

class RecordsArgsUserAddress(TypedDict):
    # With number.
    street: NotRequired[str]
    zip: str

class RecordsArgsUser(TypedDict):
    name: str
    address: RecordsArgsUserAddress

# The key "": str
RecordsArgs = TypedDict("RecordsArgs", {
    "user": NotRequired[RecordsArgsUser],
    "closed": NotRequired[RecordsArgsClosed],
    "open": NotRequired[RecordsArgsOpen],
    "typed": NotRequired[RecordsArgsTyped],
    "with-dash": NotRequired[str],
    "with space": NotRequired[str],
    "ключ": NotRequired[str],
    "1st": NotRequired[str],
    "__proto__": NotRequired[str],
    "class": NotRequired[str],
    "quote\"": NotRequired[str],
    "undeclared": Json,
})

async def records(args: RecordsArgs) -> Untyped:
    ...
