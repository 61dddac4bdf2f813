"""Values for the person, apart from the result for the model."""

from .own import __builtins__

import _ampoule

from .result import render
from .values import is_awaitable


def emit(*values):
    """Gives the person values: texts as they are, content blocks, whole answers of tools, anything else as JSON."""
    if not values:
        raise TypeError('emit takes what the person is to see: emit("text"), emit(image(data)), emit(await whole(tool, name=value))')
    for value in values:
        if is_awaitable(value):
            raise TypeError("emit was given what was not awaited: write `await` before the call that gives the value")
        _ampoule.emit("null" if value is None else render(value, None))
