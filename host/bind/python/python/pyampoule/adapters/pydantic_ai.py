"""A `CodeTool` as a tool of pydantic-ai.

    code = pyampoule.CodeTool(runtime, [get_weather])
    agent = Agent("…", tools=[pyampoule.adapters.pydantic_ai.tool(code)])
"""

from __future__ import annotations

from typing import Any

from pydantic_ai import Tool

from .._code import CodeTool


def tool(of: CodeTool) -> Tool[Any]:
    """The tool. The code's own tools are called in the agent's event loop, and a run that the agent gives up on is
    cancelled."""

    async def run_code(code: str) -> str:
        return await of(code)

    return Tool.from_schema(run_code, of.name, of.description, of.input_schema)
