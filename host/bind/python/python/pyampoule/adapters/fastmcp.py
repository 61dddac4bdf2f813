"""Ampoule as the sandbox of FastMCP's code mode.

    sandbox = pyampoule.adapters.fastmcp.Sandbox(runtime, limits=pyampoule.Limits(wall_time=30))
    server = FastMCP("shop", transforms=[CodeMode(sandbox_provider=sandbox)])
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from .._runtime import Runtime
from .._tools import Tool

#: What scripts call the server of the functions that FastMCP gives.
_SERVER = "sandbox"
_SCHEMA = {
    "type": "object",
    "properties": {"args": {"type": "array"}, "kwargs": {"type": "object"}},
    "required": ["args", "kwargs"],
}


class Sandbox:
    """A `SandboxProvider`: each piece of code runs in a fresh isolate, with these options of `Runtime.run`."""

    def __init__(self, runtime: Runtime, **options: Any):
        self.runtime = runtime
        self.options = options

    async def run(
        self,
        code: str,
        *,
        inputs: dict[str, Any] | None = None,
        external_functions: dict[str, Callable[..., Any]] | None = None,
    ) -> Any:
        """Runs the code, which finds the inputs and the functions by their names, and gives what it returns."""
        functions = external_functions or {}
        given = [f"{name} = env[{name!r}]" for name in inputs or {}]
        given += [_function(name) for name in functions]
        outcome = await self.runtime.run_async(
            # In one line, before all others.
            "; ".join(given) + "\n" + code,
            language="python",
            tools={_SERVER: [_tool(name, function) for name, function in functions.items()]} if functions else (),
            env=inputs,
            **self.options,
        )
        return outcome.result()


def _function(name: str) -> str:
    return f"{name} = lambda *args, **kwargs: tools.{_SERVER}.{name}(args=list(args), kwargs=kwargs)"


def _tool(name: str, function: Callable[..., Any]) -> Tool[[dict[str, Any]], Any]:
    async def call(arguments: dict[str, Any]) -> Any:
        result = function(*arguments["args"], **arguments["kwargs"])
        return await result if inspect.isawaitable(result) else result

    return Tool.of_schema(call, name=name, input_schema=_SCHEMA)
