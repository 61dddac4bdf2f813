# tools.server

# Any JSON value.
Json: TypeAlias = Any

class Tree(TypedDict):
    name: str
    kids: list[Tree]

class UnmarkedResult(TypedDict):
    result: int

class HasNoneResult(TypedDict):
    results: NotRequired[int]

class SaysNoResult(TypedDict):
    result: int

async def count() -> int:
    """Returns: How many there are."""

async def names() -> list[str]:
    ...

async def trees() -> list[Tree]:
    ...

async def tree() -> Tree:
    ...

async def maybe() -> int | None:
    ...

async def anything() -> Json:
    ...

async def wrong_inside() -> Json:
    ...

async def says_no() -> SaysNoResult:
    ...

async def has_none() -> HasNoneResult:
    ...

async def unmarked() -> UnmarkedResult:
    ...
