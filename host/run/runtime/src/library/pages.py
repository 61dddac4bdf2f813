"""The pages of a tool's answers: `async for page in pages(tools.server.tool, …)`."""


async def pages(tool, next=None, /, **arguments):
    """Calls a tool again and again, and gives each answer.

    `next` makes what changes in the arguments of the next call out of an answer and the arguments of its call, or nothing after the
    last one. Without it, the answer's own `next` has the arguments of the next call, or None.
    """
    if not callable(tool):
        raise TypeError("pages takes a tool, and the arguments of its first call: pages(tools.server.tool, …)")
    while True:
        page = await tool(**arguments)
        yield page
        more = own_next(page) if next is None else next(page, arguments)
        if hasattr(more, "__await__"):
            more = await more
        if not more:
            return
        wanted = dict(more) if next is None else {**arguments, **more}
        if wanted == arguments:
            raise ValueError("pages would make the same call again: the arguments of the next page are those of this one")
        arguments = wanted


def own_next(page):
    if isinstance(page, dict) and "next" in page:
        return page["next"]
    raise TypeError(
        "pages does not find the next page: the answer has no `next`. "
        'Say where it is: pages(tool, lambda page, given: page["cursor"] and {"cursor": page["cursor"]}, …)'
    )
