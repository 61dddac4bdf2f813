"""A `CodeTool` in the tool runner of Anthropic's SDK.

    code = pyampoule.CodeTool(runtime, [get_weather])
    runner = client.beta.messages.tool_runner(model="…", messages=messages, tools=[anthropic.tool(code)], max_tokens=…)
    message = await runner.until_done()
"""

from __future__ import annotations

from typing import Any, cast

from anthropic import beta_async_tool, beta_tool
from anthropic.lib.tools import BetaAsyncFunctionTool, BetaFunctionTool

from .._code import CodeTool


def tool(of: CodeTool) -> BetaAsyncFunctionTool[Any]:
    """The tool, for `AsyncAnthropic`."""

    async def run_code(code: str) -> str:
        return await of(code)

    return beta_async_tool(run_code, name=of.name, description=of.description, input_schema=cast(Any, of.input_schema))


def tool_here(of: CodeTool) -> BetaFunctionTool[Any]:
    """The tool, for `Anthropic`."""

    def run_code(code: str) -> str:
        return of.here(code)

    return beta_tool(run_code, name=of.name, description=of.description, input_schema=cast(Any, of.input_schema))
