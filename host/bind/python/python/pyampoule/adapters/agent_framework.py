"""CodeAct for Microsoft's Agent Framework: a context provider whose tool `execute_code` calls the provider's tools.

    provider = agent_framework.AmpouleCodeActProvider(runtime, tools=[price])
    agent = client.as_agent(instructions="…", context_providers=[provider])
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any, Union

from agent_framework import ContextProvider, FunctionTool

from .._code import CodeTool
from .._runtime import Runtime
from .._tools import Tool

AnyTool = Union[FunctionTool, Callable[..., Any]]


class AmpouleCodeActProvider(ContextProvider):
    """Gives an agent a tool that runs code. Code calls the provider's tools, and what `grant` allows of the runtime's
    servers. A tool that always requires approval is refused: code can't ask for it here. `options` are those of
    `Runtime.run`."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        tools: Sequence[AnyTool] = (),
        source_id: str = "ampoule_codeact",
        language: str = "python",
        **options: Any,
    ):
        super().__init__(source_id)
        given = [_tool(each if isinstance(each, FunctionTool) else FunctionTool(name=each.__name__, description=inspect.getdoc(each) or "", func=each)) for each in tools]
        self.code = CodeTool(runtime, given, name="execute_code", language=language, **options)

    async def before_run(self, *, agent: Any, session: Any, context: Any, state: dict[str, Any]) -> None:
        """Adds the tool to a run of the agent."""

        async def execute_code(code: str) -> str:
            return await self.code(code)

        tool = FunctionTool(
            name=self.code.name,
            description=self.code.description,
            func=execute_code,
            input_model=self.code.input_schema,
        )
        context.extend_tools(self.source_id, [tool])


def _tool(of: FunctionTool) -> Tool[..., Any]:
    if of.approval_mode == "always_require":
        raise ValueError(f"`{of.name}` always requires approval: give it to the agent itself, and not to code")

    async def call(arguments: dict[str, Any]) -> Any:
        return _plain(await of.invoke(arguments=arguments))

    return Tool.of_schema(call, name=of.name, description=of.description, input_schema=of.parameters())


def _plain(result: Any) -> Any:
    """The text of contents, as the value that it is the JSON of."""
    if not isinstance(result, list):
        return result
    text = "".join(getattr(each, "text", None) or "" for each in result)
    try:
        return json.loads(text)
    except ValueError:
        return text
