"""A `CodeTool` as a tool of LangChain, and LangChain's tools as tools of scripts.

    code = pyampoule.CodeTool(runtime, pyampoule.adapters.langchain.tools([search, fetch]))
    agent = create_agent(model, tools=[pyampoule.adapters.langchain.tool(code)])
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool

from .._code import CodeTool
from .._tools import Tool


def tool(of: CodeTool) -> StructuredTool:
    """The tool, for agents that are async and those that are not."""

    def run_here(code: str) -> str:
        return of.here(code)

    async def run(code: str) -> str:
        return await of(code)

    return StructuredTool(
        name=of.name,
        description=of.description,
        args_schema=of.input_schema,
        func=run_here,
        coroutine=run,
    )


def tools(given: Iterable[BaseTool]) -> list[Tool[[dict[str, Any]], Any]]:
    """LangChain's tools, for scripts to call."""
    return [_tool_of(each) for each in given]


def _tool_of(given: BaseTool) -> Tool[[dict[str, Any]], Any]:
    async def call(arguments: dict[str, Any]) -> Any:
        return await given.ainvoke(arguments)

    schema: Any = given.tool_call_schema
    described = schema if isinstance(schema, dict) else schema.model_json_schema()
    return Tool.of_schema(call, name=given.name, description=given.description, input_schema=described)
