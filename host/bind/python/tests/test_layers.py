"""Functions that calls pass on their way to their tools."""

import asyncio
import contextvars
import threading
import time
from typing import Any

import pytest

import pyampoule
from pyampoule import CallError, DeniedError, Next, PassingCall, ToolResult


@pyampoule.tool
def double(n: int) -> int:
    return 2 * n


@pyampoule.tool
async def double_later(n: int) -> int:
    await asyncio.sleep(0.01)
    return 2 * n


@pyampoule.tool
def refund() -> None:
    """Gives nothing."""


@pyampoule.tool
def broken() -> None:
    raise ValueError("the shop is closed")


TOOLS: list[pyampoule.Tool[..., Any]] = [double, double_later, refund, broken]
#: Gives what an error says, and of which kind it is.
CAUGHT = "try { return await host.%s } catch (error) { return [error.kind, error.message] }"


def run(runtime: pyampoule.Runtime, code: str, *layers: pyampoule.Layer, **options: Any) -> Any:
    return runtime.run(code, tools=TOOLS, layers=layers, **options).result()


def test_a_call_passes_layers_from_the_outermost_on(runtime: pyampoule.Runtime) -> None:
    seen: list[Any] = []

    def outer(call: PassingCall, next: Next) -> Any:
        seen.append(call)
        result = next()
        seen.append(result)
        return result

    def inner(call: PassingCall, next: Next) -> Any:
        return next({"n": call.arguments["n"] + 1})

    value = run(runtime, "return await host.double({ n: 20 })", outer, inner, principal="ada")
    assert value == 42
    call, result = seen
    assert (call.server, call.tool, call.arguments, call.number) == ("host", "double", {"n": 20}, 0)
    assert call.principal == "ada" and "-" in call.run
    assert result == ToolResult(structured_content=42)


def test_those_that_are_async_and_those_that_are_not_mix(runtime: pyampoule.Runtime) -> None:
    order: list[str] = []

    def named(name: str) -> pyampoule.Layer:
        def layer(call: PassingCall, next: Next) -> Any:
            order.append(name)
            return next()

        return layer

    def named_async(name: str) -> pyampoule.Layer:
        async def layer(call: PassingCall, next: Next) -> Any:
            order.append(name)
            await asyncio.sleep(0)
            return await next()

        return layer

    layers = [named("a"), named("b"), named_async("c"), named_async("d"), named("e"), named_async("f")]
    for tool in ("double", "double_later"):
        order.clear()
        assert run(runtime, f"return await host.{tool}({{ n: 21 }})", *layers) == 42
        assert order == ["a", "b", "c", "d", "e", "f"]

        async def in_a_loop() -> Any:
            code = f"return await host.{tool}({{ n: 21 }})"
            return (await runtime.run_async(code, tools=TOOLS, layers=layers)).result()

        assert asyncio.run(in_a_loop()) == 42


def test_those_of_the_runtime_are_around_those_of_a_run() -> None:
    order: list[str] = []

    def outer(call: PassingCall, next: Next) -> Any:
        order.append("runtime")
        return next()

    def inner(call: PassingCall, next: Next) -> Any:
        order.append("run")
        return next()

    with pyampoule.Runtime(layers=[outer]) as runtime:
        assert run(runtime, "return await host.double({ n: 1 })", inner) == 2
        assert run(runtime, "return await host.double({ n: 1 })") == 2
    assert order == ["runtime", "run", "runtime"]


def test_a_call_that_is_denied_says_so_in_both_languages(runtime: pyampoule.Runtime) -> None:
    def deny(call: PassingCall, next: Next) -> Any:
        raise DeniedError("not on a Sunday")

    async def deny_async(call: PassingCall, next: Next) -> Any:
        raise DeniedError("not on a Sunday")

    python = "try:\n    await host.double(n=1)\nexcept ToolError as error:\n    return [error.kind, str(error)]"
    for layer in (deny, deny_async):
        assert run(runtime, CAUGHT % "double({ n: 1 })", layer) == ["denied", "not on a Sunday"]
        assert run(runtime, python, layer, language="python") == ["denied", "not on a Sunday"]


def test_what_a_layer_raises_is_what_the_script_catches(runtime: pyampoule.Runtime) -> None:
    def kind(call: PassingCall, next: Next) -> Any:
        raise CallError("try again", kind="timed-out")

    def other(call: PassingCall, next: Next) -> Any:
        raise KeyError("n")

    def unusable(call: PassingCall, next: Next) -> Any:
        return object()

    def twice(call: PassingCall, next: Next) -> Any:
        next()
        return next()

    assert run(runtime, CAUGHT % "double({ n: 1 })", kind) == ["timed-out", "try again"]
    assert run(runtime, CAUGHT % "double({ n: 1 })", other) == ["failed", "'n'"]
    said = run(runtime, CAUGHT % "double({ n: 1 })", unusable)
    assert said[0] == "failed" and "serialize" in said[1]
    assert run(runtime, CAUGHT % "double({ n: 1 })", twice) == [
        "failed",
        "a call can be sent on only once: `next` was called before",
    ]


def test_a_layer_sees_failures_and_can_mend_them(runtime: pyampoule.Runtime) -> None:
    seen: list[Any] = []

    def mend(call: PassingCall, next: Next) -> Any:
        result = next()
        seen.append(result)
        return {"mended": True} if result.is_error else result

    def denies(call: PassingCall, next: Next) -> Any:
        raise DeniedError("no")

    async def catches(call: PassingCall, next: Next) -> Any:
        try:
            return await next()
        except DeniedError as error:
            return f"caught: {error}"

    assert run(runtime, "return await host.broken()", mend) == {"mended": True}
    assert seen[0].is_error and "the shop is closed" in seen[0].content[0]["text"]
    assert run(runtime, "return await host.double({ n: 1 })", catches, denies) == "caught: no"
    assert run(runtime, "return await host.refund()", mend) is None


def test_a_layer_may_answer_without_the_tool(runtime: pyampoule.Runtime) -> None:
    def value(call: PassingCall, next: Next) -> Any:
        return [call.tool, call.arguments]

    def blocks(call: PassingCall, next: Next) -> Any:
        return ToolResult(content=[{"type": "text", "text": "a text"}])

    def failed(call: PassingCall, next: Next) -> Any:
        return ToolResult(content=[{"type": "text", "text": "sold out"}], is_error=True)

    assert run(runtime, "return await host.broken()", value) == ["broken", {}]
    assert run(runtime, "return await host.broken()", blocks) == "a text"
    assert run(runtime, CAUGHT % "broken()", failed) == ["failed", "sold out"]


def test_layers_have_the_context_of_the_run(runtime: pyampoule.Runtime) -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user")
    user.set("ada")

    def layer(call: PassingCall, next: Next) -> Any:
        return user.get()

    async def layer_async(call: PassingCall, next: Next) -> Any:
        return user.get()

    assert run(runtime, "return await host.double({ n: 1 })", layer) == "ada"
    assert run(runtime, "return await host.double({ n: 1 })", layer_async) == "ada"


def test_a_thousand_calls_that_wait_in_layers_hold_up_nobody(runtime: pyampoule.Runtime) -> None:
    """There are fewer threads than that."""

    def waits(call: PassingCall, next: Next) -> Any:
        result = next()
        time.sleep(0.001)
        return result

    async def in_between(call: PassingCall, next: Next) -> Any:
        return await next()

    @pyampoule.tool
    def slow(n: int) -> int:
        time.sleep(0.005)
        return n

    code = "return (await Promise.all(Array.from({ length: 25 }, (_, n) => host.slow({ n })))).length"

    async def all_at_once() -> list[Any]:
        layers = [waits, in_between, waits]
        runs = [runtime.run_async(code, tools=[slow], layers=layers) for _ in range(40)]
        return [outcome.result() for outcome in await asyncio.gather(*runs)]

    assert asyncio.run(all_at_once()) == [25] * 40


def test_a_call_that_is_given_up_is_over_for_its_layers(runtime: pyampoule.Runtime) -> None:
    ended: list[str] = []
    over = threading.Event()

    @pyampoule.tool
    async def forever() -> None:
        await asyncio.sleep(60)

    def waits(call: PassingCall, next: Next) -> Any:
        try:
            return next()
        except CallError as error:
            ended.append(error.kind)
            over.set()
            raise

    async def waits_async(call: PassingCall, next: Next) -> Any:
        try:
            return await next()
        except asyncio.CancelledError:
            ended.append("task")
            over.set()
            raise

    for layer, said in ((waits, "cancelled"), (waits_async, "task")):
        over.clear()
        outcome = runtime.run("await host.forever()", tools=[forever], layers=[layer], limits={"wall_time": 0.2})
        assert isinstance(outcome, pyampoule.Limit) and outcome.limit == "wall-time"
        assert over.wait(10) and ended.pop() == said


@pytest.mark.parametrize("where", ["before", "in", "after"])
@pytest.mark.parametrize("around", [False, True])
def test_a_layer_that_waits_is_cancelled_with_its_run(runtime: pyampoule.Runtime, where: str, around: bool) -> None:
    """For any canceller, and whatever the layer waits for: itself, or a layer further in."""
    began, ended = threading.Event(), threading.Event()
    cleaned: list[str] = []

    @pyampoule.tool
    async def hangs() -> None:
        if where == "in":
            began.set()
            await asyncio.sleep(60)

    async def waits(call: PassingCall, next: Next) -> Any:
        try:
            if where == "before":
                began.set()
                await asyncio.sleep(60)
            result = await next()
            began.set()
            await asyncio.sleep(60)
            return result
        except asyncio.CancelledError:
            # What a layer does to clean up is waited for by its loop.
            await asyncio.sleep(0.01)
            cleaned.append(where)
            ended.set()
            raise

    def outer(call: PassingCall, next: Next) -> Any:
        return next()

    layers: list[pyampoule.Layer] = [outer, waits, outer] if around else [waits]
    code = "await host.hangs()"

    async def by_its_task() -> None:
        task = asyncio.ensure_future(runtime.run_async(code, tools=[hangs], layers=layers))
        while not began.is_set():
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not ended.is_set():
            await asyncio.sleep(0.01)

    async def by_its_handle() -> None:
        run = runtime.start(code, tools=[hangs], layers=layers)
        while not began.is_set():
            await asyncio.sleep(0.01)
        run.cancel()
        assert isinstance(await run.outcome(), pyampoule.Cancelled)
        while not ended.is_set():
            await asyncio.sleep(0.01)

    for cancelled in (by_its_task, by_its_handle):
        asyncio.run(asyncio.wait_for(cancelled(), 20))
        assert cleaned.pop() == where and not cleaned
        began.clear()
        ended.clear()
    outcome = runtime.run(code, tools=[hangs], layers=layers, limits={"wall_time": 0.3})
    assert isinstance(outcome, pyampoule.Limit) and outcome.limit == "wall-time"
    assert ended.wait(10) and cleaned == [where]


def test_limits_hold_for_what_passes(runtime: pyampoule.Runtime) -> None:
    @pyampoule.tool
    def large() -> str:
        return "x" * 100_000

    def mend(call: PassingCall, next: Next) -> Any:
        try:
            return next()
        except CallError:
            return None

    outcome = runtime.run("return await host.large()", tools=[large], layers=[mend], limits={"result_bytes": 1000})
    assert isinstance(outcome, pyampoule.Limit) and outcome.limit == "result-bytes"


def test_what_is_no_layer_is_refused(runtime: pyampoule.Runtime) -> None:
    def layer(call: PassingCall, next: Next) -> Any:
        return next()

    def deny(call: PassingCall, next: Next) -> Any:
        raise DeniedError("no")

    def kind(call: PassingCall, next: Next) -> Any:
        raise CallError("no", kind="nonsense")

    class Later:
        def __await__(self) -> Any:
            yield

    def forgets(call: PassingCall, next: Next) -> Any:
        return Later()

    wrong: Any
    for wrong in (layer, [1], 5, "layer"):
        with pytest.raises(pyampoule.UsageError, match="must be a list of functions"):
            runtime.run("return 1", layers=wrong)
    with pytest.raises(pyampoule.UsageError, match="must be a list of functions"):
        pyampoule.Runtime(layers=[None])  # type: ignore[list-item]
    # Whatever they come in: none is left out.
    denied = (deny for _ in range(1))
    code = CAUGHT % "double({ n: 1 })"
    assert runtime.run(code, tools=TOOLS, layers=denied).result() == ["denied", "no"]  # type: ignore[arg-type]
    nonsense = run(runtime, code, kind)
    assert nonsense[0] == "protocol" and "`kind` must be one of" in nonsense[1] and 'not "nonsense"' in nonsense[1]
    assert "must be an `async` function" in run(runtime, CAUGHT % "double({ n: 1 })", forgets)[1]
