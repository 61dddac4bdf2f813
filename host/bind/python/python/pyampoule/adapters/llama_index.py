"""A `CodeTool` for LlamaIndex: a tool of any agent, or what its `CodeActAgent` runs code with.

    agent = FunctionAgent(tools=[llama_index.tool(code)], llm=llm)
    agent = CodeActAgent(code_execute_fn=llama_index.code_execute_fn(code), tools=[], llm=llm)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from llama_index.core.tools import FunctionTool

from .._code import CodeTool


def tool(of: CodeTool) -> FunctionTool:
    """The tool, for agents that are async and those that are not."""

    async def run_code(code: str) -> str:
        return await of(code)

    def run_code_here(code: str) -> str:
        return of.here(code)

    return FunctionTool.from_defaults(fn=run_code_here, async_fn=run_code, name=of.name, description=of.description)


def code_execute_fn(of: CodeTool) -> Callable[[str], Awaitable[str]]:
    """The function that `CodeActAgent` gives code to. Make the `CodeTool` of `language="python"` and of the tools that the
    agent's prompt describes: `of.description` declares them."""

    async def execute(code: str) -> str:
        """Runs code in a sandbox."""
        return await of(code)

    return execute
