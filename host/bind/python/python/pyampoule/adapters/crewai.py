"""A `CodeTool` for CrewAI's agents.

    agent = Agent(role="…", goal="…", backstory="…", tools=[crewai.tool(code)])
"""

from __future__ import annotations

from typing import Any

from crewai.tools import BaseTool
from pydantic import BaseModel, Field, PrivateAttr

from .._code import CodeTool


class _Arguments(BaseModel):
    code: str = Field(description="The code to run.")


class _CodeTool(BaseTool):
    args_schema: type[BaseModel] = _Arguments
    _of: CodeTool = PrivateAttr()

    def _run(self, code: str, **_: Any) -> str:
        return self._of.here(code)

    async def _arun(self, code: str, **_: Any) -> str:
        return await self._of(code)


def tool(of: CodeTool) -> BaseTool:
    """The tool."""
    made = _CodeTool(name=of.name, description=of.description)
    made._of = of
    return made
