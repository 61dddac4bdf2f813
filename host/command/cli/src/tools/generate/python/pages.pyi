from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

_Page = TypeVar("_Page")

def pages(
    tool: Callable[..., Awaitable[_Page]],
    next: Callable[[_Page, dict[str, Any]], object] | None = None,
    /,
    **arguments: object,
) -> AsyncIterator[_Page]:
    """Calls a tool again and again, and gives each answer: `async for page in pages(tools.server.tool, …)`.

    `next` makes what changes in the arguments of the next call out of an answer and the arguments of its call, or nothing after the
    last one. Without it, the answer's own `next` has the arguments of the next call, or None.
    """
