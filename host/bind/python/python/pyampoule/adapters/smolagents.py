"""Ampoule as the executor of smolagents' `CodeAgent`: each step of the agent's code runs in an isolate, and finds what the
steps before it left.

    with pyampoule.Runtime(sessions="/var/lib/agent/sessions") as runtime:
        agent = CodeAgent(tools=[price], model=model, executor=smolagents.Executor(runtime))
"""

from __future__ import annotations

import ast
import uuid
from typing import Any

from smolagents.local_python_executor import CodeOutput, PythonExecutor  # type: ignore[import-untyped]
from smolagents.tools import Tool as AgentTool  # type: ignore[import-untyped]

from .._outcome import Returned
from .._runtime import Runtime
from .._tools import Tool

#: What scripts call the server of the agent's tools.
_SERVER = "agent"
_SCHEMA = {"type": "object", "properties": {"args": {"type": "array"}, "kwargs": {"type": "object"}}}
_FINAL = "final_answer"


class Executor(PythonExecutor):  # type: ignore[misc]
    """A `PythonExecutor`. Its options are those of `Runtime.run`."""

    def __init__(self, runtime: Runtime, **options: Any):
        self.runtime = runtime
        self.options: dict[str, Any] = {"session": f"smolagents-{uuid.uuid4()}", "keep_always": True} | options
        self._tools: dict[str, Any] = {}
        self._given: list[Tool[..., Any]] = []
        self._variables: dict[str, Any] = {}
        self._answers: list[Any] = []

    def send_tools(self, tools: dict[str, AgentTool]) -> None:
        self._tools = dict(tools)
        self._given = [_tool(name, self._function(name, each)) for name, each in self._tools.items()]

    def send_variables(self, variables: dict[str, Any]) -> None:
        self._variables |= variables

    def __call__(self, code_action: str) -> CodeOutput:
        self._answers.clear()
        names = (*self._tools, *self._variables)
        first = [_declared(name) for name in self._tools] + [f"{name} = env[{name!r}]" for name in self._variables]
        outcome = self.runtime.run(
            # In one line, before all others.
            "; ".join(first) + "\n" + _returning(code_action),
            language="python",
            name="step",
            tools={_SERVER: self._given} if names and self._given else (),
            env=self._variables or None,
            check="off",
            **self.options,
        )
        # Later steps have them from the session.
        self._variables.clear()
        if self._answers:
            return CodeOutput(self._answers[-1], outcome.printed, True)
        if not isinstance(outcome, Returned):
            # What it printed is a part of what the agent reads.
            raise RuntimeError(f"{outcome.printed}{_error(outcome)}")
        return CodeOutput(outcome.result(), outcome.printed, False)

    def cleanup(self) -> None:
        """There is nothing to stop: isolates end with their steps."""

    def _function(self, name: str, tool: Any) -> Any:
        def call(given: dict[str, Any]) -> Any:
            answer = tool(*given.get("args", ()), **given.get("kwargs", {}))
            if name == _FINAL:
                self._answers.append(answer)
            return answer

        return call


def _tool(name: str, function: Any) -> Tool[..., Any]:
    return Tool.of_schema(function, name=name, input_schema=_SCHEMA)


def _declared(name: str) -> str:
    # The agent's code calls tools as functions, and does not await them.
    return f"{name} = lambda *args, **kwargs: tools.{_SERVER}.{name}(args=list(args), kwargs=kwargs).result()"


def _returning(code: str) -> str:
    """The code, whose last expression is its value, as smolagents has it."""
    try:
        body = ast.parse(code).body
    except SyntaxError:
        # Ampoule says what is wrong with it.
        return code
    if not body or not isinstance(body[-1], ast.Expr):
        return code
    lines = code.splitlines()
    at = body[-1].lineno - 1
    start = len(lines[at].encode()[: body[-1].col_offset].decode())
    lines[at] = f"{lines[at][:start]}return {lines[at][start:]}"
    return "\n".join(lines)


def _error(outcome: Any) -> str:
    try:
        outcome.result()
    except Exception as error:
        return str(error)
    return ""
