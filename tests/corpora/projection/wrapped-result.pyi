from typing import Any, Literal, Never, NotRequired, TypeAlias, TypedDict

# Any JSON value.
Json: TypeAlias = Any

# The result of a tool that does not state its type: the value, if it is one text that is a JSON object or array; the string, if it is one text; else the
# list of content blocks.
Untyped: TypeAlias = Any

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
