"""Code mode for pydantic-ai: its tools, and MCP servers, as what scripts may call.

    runtime = pyampoule.Runtime(parked="/var/lib/agent/parked")
    agent = Agent("…", tools=[price, Tool(refund, requires_approval=True)], capabilities=[pydantic_ai.CodeMode(runtime)],
                  output_type=[str, DeferredToolRequests])

A call of a script passes pydantic-ai's own way: validators, hooks, usage limits, `requires_approval` and `ApprovalRequired`.
One that needs approval parks the run, and the agent's output is `DeferredToolRequests`, whose `metadata` has the calls. With
`deferred_tool_results`, in this process or another, the script goes on where it stood. If it comes to further calls that need
approval, it asks again: answer these by `decide`, since a plain `True` is for the calls alone that were shown first.

`tool(code)` is a plain tool of a `CodeTool`, without any of that.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Union, cast

from pydantic import BaseModel, TypeAdapter
from pydantic_ai import ApprovalRequired, CallDeferred, DeferredToolRequests, DeferredToolResults, ModelRetry, RunContext
from pydantic_ai import Tool as AgentTool
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.exceptions import UsageLimitExceeded
from pydantic_ai.messages import ToolCallPart, ToolReturn
from pydantic_ai.tool_manager import ToolManager
from pydantic_ai.tools import AgentDepsT, ToolDefinition, ToolDenied
from pydantic_ai.toolsets import AbstractToolset, ToolsetTool, WrapperToolset

from .._approvals import SOON, Approve, Decision, Step, calls_of, decided, label_of, matcher, needs_approval, shown_of, step_of
from .._code import CodeTool, told
from .._errors import DeniedError, ParkRequest
from .._events import Event
from .._kept import ParkedRun
from .._layers import Next, PassingCall
from .._outcome import Outcome, Parked, Returned
from .._program import Resume
from .._runtime import Run, Runtime
from .._tools import SERVER, Tool

__all__ = ["CodeMode", "CodeModeToolset", "decide", "tool"]

#: Of a run: a text, or a function of the agent's context, such as one that gives the id of the conversation.
ByRun = Union[str, Callable[[RunContext[Any]], Union[str, None]], None]


def tool(of: CodeTool) -> AgentTool[Any]:
    """A `CodeTool` as a tool. The code's own tools are called in the agent's event loop, and a run that the agent gives up
    on is cancelled."""

    async def run_code(code: str) -> str:
        return await of(code)

    return AgentTool.from_schema(run_code, of.name, of.description, of.input_schema)


class _Arguments(BaseModel):
    code: str


@dataclass
class _CodeModeTool(ToolsetTool[AgentDepsT]):
    """The tool that runs code, in one step of an agent."""

    of: CodeTool
    wrapped: dict[str, ToolsetTool[AgentDepsT]]


@dataclass
class _CodeModeOptions(Generic[AgentDepsT]):
    """How code mode runs scripts, as a toolset and as a capability."""

    #: Where scripts run. Calls can wait for approval if it has the folder `parked`.
    runtime: Runtime
    #: The tools that scripts call instead of the model; default: all that are carried out here.
    tools: Sequence[str] | None = None
    name: str = "run_code"
    language: str = "python"
    #: Which calls need approval, besides those of tools that say so: patterns such as `github.delete_*`, or a function.
    approve: Approve | None = None
    session: ByRun = None
    principal: ByRun = None
    #: How often a model may try again when a script failed.
    max_retries: int = 3
    #: Is called with what happens in scripts.
    listener: Callable[[RunContext[AgentDepsT], Event], None] | None = None
    #: Further options of `Runtime.run`, such as `grant` and `limits`.
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class CodeModeToolset(_CodeModeOptions[AgentDepsT], WrapperToolset[AgentDepsT]):
    """A toolset as one tool, whose code calls the tools of the toolset."""

    _known: dict[str, CodeTool] = field(default_factory=dict, repr=False)

    async def get_tools(self, ctx: RunContext[AgentDepsT]) -> dict[str, ToolsetTool[AgentDepsT]]:
        all = await self.wrapped.get_tools(ctx)
        called = {name: each for name, each in all.items() if self._is_called(each.tool_def)}
        code = self._code_tool([each.tool_def for each in called.values()], _of(self.principal, ctx))
        definition = ToolDefinition(
            name=self.name,
            description=code.description,
            parameters_json_schema=code.input_schema,
        )
        made = _CodeModeTool(
            toolset=self,
            tool_def=definition,
            max_retries=self.max_retries,
            args_validator=cast(Any, TypeAdapter(_Arguments).validator),
            of=code,
            wrapped=called,
        )
        return {name: each for name, each in all.items() if name not in called} | {self.name: made}

    async def call_tool(
        self, name: str, tool_args: dict[str, Any], ctx: RunContext[AgentDepsT], tool: ToolsetTool[AgentDepsT]
    ) -> Any:
        if not isinstance(tool, _CodeModeTool):
            return await self.wrapped.call_tool(name, tool_args, ctx, tool)
        code = tool_args["code"] if isinstance(tool_args, dict) else tool_args.code
        return await _Script(self, tool, ctx).result(code)

    def _is_called(self, tool: ToolDefinition) -> bool:
        return tool.kind in ("function", "unapproved") and (self.tools is None or tool.name in self.tools)

    def _code_tool(self, tools: list[ToolDefinition], principal: str | None) -> CodeTool:
        key = json.dumps([principal, [[each.name, each.description, each.parameters_json_schema] for each in tools]])
        known = self._known.get(key)
        if known is None:
            options = dict(self.options) | ({} if principal is None else {"principal": principal})
            given = [_declared(each) for each in tools]
            known = CodeTool(self.runtime, given, name=self.name, language=self.language, **options)
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = known
        return known


#: Lists of tools that are declared already.
_MOST_KNOWN = 64


@dataclass
class CodeMode(_CodeModeOptions[AgentDepsT], AbstractCapability[AgentDepsT]):
    """The capability that turns an agent's tools into one tool that runs code. Its fields are those of `CodeModeToolset`."""

    @classmethod
    def get_serialization_name(cls) -> str | None:
        # A runtime is not written in a file.
        return None

    def get_wrapper_toolset(self, toolset: AbstractToolset[AgentDepsT]) -> AbstractToolset[AgentDepsT] | None:
        given = {each.name: getattr(self, each.name) for each in fields(_CodeModeOptions)}
        return CodeModeToolset(toolset, **given)


def decide(requests: DeferredToolRequests, answer: Callable[[dict[str, Any]], Any], name: str = "run_code") -> DeferredToolResults:
    """Answers the calls of scripts one by one. `answer` gets each as `{"call", "server", "tool", "arguments"}` and gives
    `True`, or `False`, or why not; the script goes on with all answers, and gets a `ToolError` for a call that was denied.
    Requests of other tools are left to you."""
    results = DeferredToolResults()
    for each in requests.approvals:
        calls = requests.metadata.get(each.tool_call_id, {}).get("calls")
        if each.tool_name == name and calls is not None:
            results.approvals[each.tool_call_id] = True
            results.metadata[each.tool_call_id] = {"answers": {str(call["call"]): answer(call) for call in calls}}
    return results


class _Script:
    """A script of one tool call, as far as it goes this time."""

    def __init__(self, toolset: CodeModeToolset[Any], tool: _CodeModeTool[Any], ctx: RunContext[Any]):
        self.toolset = toolset
        self.tool = tool
        self.ctx = ctx
        self.needs = matcher(toolset.approve)
        self.decisions: Mapping[int, Decision] = {}
        self.over_limit: UsageLimitExceeded | None = None
        self.run: Run | None = None
        parent = ctx.tool_manager
        if parent is None:
            raise RuntimeError("code mode needs the tool manager of an agent's run")
        self.manager = ToolManager(
            toolset=toolset.wrapped, root_capability=parent.root_capability, ctx=ctx, tools=tool.wrapped
        )

    async def result(self, code: str) -> Any:
        outcome = await self._outcome(code)
        if self.over_limit is not None:
            raise self.over_limit
        if isinstance(outcome, Parked):
            calls = calls_of(shown_of(self._kept(), outcome))
            raise ApprovalRequired(metadata={"run": outcome.run, "calls": calls})
        if isinstance(outcome, Returned):
            return told(outcome)
        # The model can fix its script.
        raise ModelRetry(told(outcome))

    async def _outcome(self, code: str) -> Outcome:
        of, session = self.tool.of, _of(self.toolset.session, self.ctx)
        layers = [*of.options.get("layers", ()), self._pass]
        options = of.options | {"layers": layers} | ({} if session is None else {"session": session})
        label = label_of(session or self.ctx.conversation_id, self.ctx.tool_call_id, code=code)
        step = step_of(self._kept(), label)
        if step is not None:
            self.decisions = self._decisions(step)
            if step.run.state == "ended" or not self.decisions:
                return step.run.outcome()
            options = {name: of.options[name] for name in ("principal", "groups") if name in of.options}
            options |= {"layers": layers, "label": f"{label}#{step.times + 1}", "keep_outcome": True}
            run = of.runtime.start(Resume(step.run.run), tools=of.tools, **options)
        else:
            if of.runtime.parks:
                options |= {"park_after": SOON, "label": f"{label}#0"}
            run = of.runtime.start(code, language=of.language, tools=of.tools, **options)
        self.run = run
        if self.toolset.listener is None:
            return await run
        async for event in run.events():
            self.toolset.listener(self.ctx, event)
        return await run

    def _kept(self) -> list[ParkedRun]:
        of = self.tool.of
        return of.runtime.parked(of.options.get("principal")) if of.runtime.parks else []

    def _decisions(self, step: Step) -> Mapping[int, Decision]:
        if not self.ctx.tool_call_approved:
            return {}
        metadata = self.ctx.tool_call_metadata
        return step.decisions(metadata.get("answers", True) if isinstance(metadata, Mapping) else True)

    async def _pass(self, call: PassingCall, next: Next) -> Any:
        """Carries out a call of one of the agent's tools; lets one of a server pass."""
        approved = decided(self.decisions.get(call.number))
        if not approved and await needs_approval(self.needs, call):
            raise ParkRequest()
        if call.server != SERVER:
            return await next()
        part = ToolCallPart(call.tool, call.arguments, f"{self.ctx.tool_call_id}:{call.number}")
        try:
            self._count()
            answer = await self.manager.handle_call(part, approved=approved, wrap_validation_errors=False)
        except (ApprovalRequired, CallDeferred) as request:
            if approved or isinstance(request, CallDeferred):
                raise DeniedError(f"{call.tool} is carried out elsewhere: scripts can't wait for that") from request
            raise ParkRequest(request.metadata) from request
        except UsageLimitExceeded as error:
            self.over_limit = error
            if self.run is not None:
                self.run.cancel()
            raise DeniedError(str(error)) from error
        if isinstance(answer, ToolDenied):
            raise DeniedError(answer.message)
        return _plain(answer.return_value if isinstance(answer, ToolReturn) else answer)

    def _count(self) -> None:
        """A call of a script is a tool call of the agent: the one that runs the script counts, too."""
        limits = self.ctx.usage_limits
        if limits is not None and limits.tool_calls_limit is not None:
            limits.check_before_tool_call(replace(self.ctx.usage, tool_calls=self.ctx.usage.tool_calls + 2))


def _declared(tool: ToolDefinition) -> Tool[[dict[str, Any]], Any]:
    """A tool as scripts see it. A layer carries out its calls."""

    async def carried_out(_: dict[str, Any]) -> Any:
        raise RuntimeError("a layer carries out this call")

    return Tool.of_schema(
        carried_out,
        name=tool.name,
        description=tool.description,
        input_schema=tool.parameters_json_schema,
    )


def _of(given: ByRun, ctx: RunContext[Any]) -> str | None:
    return given(ctx) if callable(given) else given


def _plain(value: Any) -> Any:
    """What JSON is made of."""
    return TypeAdapter(Any).dump_python(value, mode="json")
