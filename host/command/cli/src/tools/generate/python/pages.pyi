from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

def pages[Page](
    tool: Callable[..., Awaitable[Page]],
    next: Callable[[Page, dict[str, Any]], object] | None = None,
    /,
    **arguments: object,
) -> AsyncIterator[Page]:
    """Calls a tool again and again, and gives each answer: `async for page in pages(tools.server.tool, …)`.

    `next` makes what changes in the arguments of the next call out of an answer and the arguments of its call, or nothing after the
    last one. Without it, the answer's own `next` has the arguments of the next call, or None.
    """
