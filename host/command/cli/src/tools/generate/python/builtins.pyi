from collections.abc import Callable as _Callable
from typing import Any as _Any

import tools as tools
from tools import Object as _Object, ToolError as ToolError

def image(data: bytes | str | _Object, mime_type: str | None = ...) -> _Object:
    """An image, to be returned: of bytes or their base64, or of a part that `_read` gave."""

def audio(data: bytes | str | _Object, mime_type: str | None = ...) -> _Object:
    """Sound, to be returned: of bytes or their base64, or of a part that `_read` gave."""

def emit(*values: object) -> None:
    """Shows values to the person, apart from the result: what `return` takes, and whole results."""

async def whole(tool: _Callable[..., object] | str, arguments: _Object | None = ..., /, **more: object) -> dict[str, _Any]:
    """Calls a tool, such as `whole(tools.server.tool, limit=1)`, and gives its result as the server sent it."""

def progress(fraction: float | str | None = ..., text: str = ...) -> None:
    """Reports progress to the client: a fraction from 0 to 1, and what the run does. Either may be left out."""

env: _Object
"""The values that the run was given, such as those of `--arguments`."""
