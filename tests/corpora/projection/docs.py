# tools.server

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array (of several such, their list); the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

class DocumentedResult(TypedDict):
    # The id.
    id: str

async def documented(
    *,
    # Use new.
    # Deprecated.
    old: str = ...,
    # A Readable Title
    titled: str = ...,
    same_title: str = ...,
    # First line.
    #
    # - one
    # - two
    # (default: "x")
    lines: str = ...,
    # write-only
    secret: str = ...,
    # read-only
    read: str = ...,
    # one
    # two
    windows: str = ...,
) -> DocumentedResult:
    """Does it.

    At length, over
    several lines.
    (read-only)
    Arguments: All of it.
    Returns: What was made.
    """

async def titled() -> Untyped:
    """Only a title"""

async def destructive() -> Untyped:
    """Deletes. (destructive; idempotent)"""

async def additive() -> Untyped:
    """Adds. (not destructive)"""

async def deprecated() -> Untyped:
    """Gone soon.
    Deprecated.
    """
