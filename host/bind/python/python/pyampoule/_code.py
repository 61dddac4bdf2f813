"""A tool for models that runs the code which they write."""

from __future__ import annotations

import json
from typing import Any

from ._outcome import Limit, Outcome, Returned, Threw
from ._runtime import Runtime
from ._tools import Tools

_LANGUAGES = {
    "typescript": "TypeScript: the body of an async function, whose `return` gives the result",
    "javascript": "JavaScript: the body of an async function, whose `return` gives the result",
    "python": "Python: the body of an async function, whose `return` gives the result",
}


class CodeTool:
    """A tool that a model calls with code, which may call these tools in turn: one call instead of many, and only what
    the code returns or prints goes back to the model. What it is made for is made of it by `pyampoule.adapters`."""

    def __init__(
        self,
        runtime: Runtime,
        tools: Tools = (),
        *,
        name: str = "run_code",
        language: str = "typescript",
        **options: Any,
    ):
        """`options` are those of `Runtime.run`: `grant`, `limits`, `env`, `session`, `principal` and so on."""
        self.runtime = runtime
        self.tools = tools
        self.name = name
        self.language = language
        self.options = options
        granted = {name: options[name] for name in ("grant", "principal", "groups") if name in options}
        declared = runtime.declarations(tools, language=language, **granted)
        # A grant may allow HTTP requests.
        network = "" if options.get("grant") else "It has no network, and "
        files = "its files are gone after it." if network else "Its files are gone after it."
        self.description = (
            f"Runs code in a sandbox, and gives what it prints and returns. {network}{files}"
            f" The code is {_LANGUAGES.get(language, language)}. It may call:\n\n{declared}"
        )
        self.input_schema: dict[str, Any] = {
            "type": "object",
            "properties": {"code": {"type": "string", "description": "The code to run."}},
            "required": ["code"],
            "additionalProperties": False,
        }

    async def outcome(self, code: str) -> Outcome:
        """Runs the code in a coroutine."""
        return await self.runtime.run_async(code, language=self.language, tools=self.tools, **self.options)

    def outcome_here(self, code: str) -> Outcome:
        """Runs the code on this thread."""
        return self.runtime.run(code, language=self.language, tools=self.tools, **self.options)

    async def __call__(self, code: str) -> str:
        """Runs the code, and gives what the model is to read."""
        return told(await self.outcome(code))

    def here(self, code: str) -> str:
        """The same on this thread."""
        return told(self.outcome_here(code))


def told(outcome: Outcome) -> str:
    """An outcome as a model reads it: what the run printed, and what it returned or why it did not."""
    if isinstance(outcome, Returned):
        value = outcome.value
        if value is None:
            ended = "" if outcome.output else "The code returned nothing."
        else:
            ended = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    elif isinstance(outcome, Threw):
        ended = str(outcome.error)
    elif isinstance(outcome, Limit):
        ended = f"The run hit the limit `{outcome.limit}`: {outcome.used} of {outcome.allowed} {outcome.unit}."
    else:
        ended = f"The run was {outcome.ending}."
    if outcome.call_log is not None:
        ended += f"\n{outcome.call_log}"
    if outcome.withheld is not None:
        ended = f"What the code returned and printed is withheld: {outcome.withheld}"
    return outcome.printed + ended
