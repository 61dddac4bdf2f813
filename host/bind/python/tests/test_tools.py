"""Functions as tools."""

import asyncio
import contextvars
import enum
import functools
import threading
import time
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

import pydantic
import pytest
from typing_extensions import TypedDict

import pyampoule


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Item(pydantic.BaseModel):
    name: str
    price: float = pydantic.Field(gt=0, description="In euros.")
    colors: list[Color] = []


@dataclass
class Point:
    x: int
    y: int


class Options(TypedDict, total=False):
    deep: bool


@pyampoule.tool
def order(item: Item, count: int = 1, note: Optional[str] = None) -> Item:
    """Orders an item."""
    return item.model_copy(update={"price": item.price * count})


@pyampoule.tool(name="describe-point", read_only=True, title="A point")
async def describe(
    point: Point,
    style: Annotated[Literal["short", "long"], pydantic.Field(description="How long.")] = "short",
    options: Optional[Options] = None,
) -> str:
    await asyncio.sleep(0)
    return f"{style} {type(point).__name__} {point.x}/{point.y} {options}"


def test_schemas_come_from_type_hints() -> None:
    assert order.name == "order"
    assert order.description == "Orders an item."
    assert order.input_schema["required"] == ["item"]
    assert order.input_schema["properties"]["count"] == {"default": 1, "title": "Count", "type": "integer"}
    assert order.input_schema["$defs"]["Item"]["properties"]["price"]["exclusiveMinimum"] == 0
    assert order.output_schema["required"] == ["name", "price"]
    assert describe.definition["title"] == "A point"
    assert describe.definition["annotations"] == {"readOnlyHint": True}
    assert describe.output_schema == {"type": "string"}
    assert describe.input_schema["properties"]["style"]["enum"] == ["short", "long"]


def test_a_tool_is_still_a_function() -> None:
    item = order(Item(name="a", price=2), count=2)
    assert (item.price, order.__name__, order.__doc__) == (4, "order", "Orders an item.")


def test_models_come_and_go(runtime: pyampoule.Runtime) -> None:
    code = "return await host.order({ item: { name: 'a', price: 2, colors: ['red'] }, count: 3 })"
    item = runtime.run(code, tools=[order]).result(Item)
    assert item == Item(name="a", price=6, colors=[Color.RED])
    code = "return await host.describe_point(point={'x': 1, 'y': 2}, options={'deep': True})"
    assert runtime.run(code, tools=[describe], language="python").result() == "short Point 1/2 {'deep': True}"


def test_what_does_not_fit_never_reaches_the_function(runtime: pyampoule.Runtime) -> None:
    for given, said in (
        ("{ item: { name: 'a', price: -1 } }", "price"),
        ("{ item: { name: 'a', price: 1 }, count: 'many' }", "count"),
        ("{ itm: 1 }", "item"),
    ):
        outcome = runtime.run(f"await host.order({given})", tools=[order])
        assert isinstance(outcome, pyampoule.Threw) and said in outcome.error.message
        assert [call.end for call in outcome.usage.calls] in ([], ["failed"])


def test_what_schemas_cannot_say_is_told_by_pydantic(runtime: pyampoule.Runtime) -> None:
    class Even(pydantic.BaseModel):
        n: int

        @pydantic.field_validator("n")
        @classmethod
        def even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("this is odd")
            return n

    def half(of: Even) -> int:
        return of.n // 2

    assert runtime.run("return await host.half({ of: { n: 4 } })", tools=[half]).result() == 2
    with pytest.raises(pyampoule.ScriptError, match="host.half: of.n: Value error, this is odd\n"):
        runtime.run("await host.half({ of: { n: 3 } })", language="javascript", tools=[half]).result()


def test_a_result_that_was_not_promised_is_a_failure(runtime: pyampoule.Runtime) -> None:
    def lie() -> int:
        return "seven"  # type: ignore[return-value]

    outcome = runtime.run("await host.lie()", tools=[lie])
    with pytest.raises(pyampoule.ScriptError, match="`lie` returned what it does not promise: .*valid integer"):
        outcome.result()


@pytest.mark.parametrize("is_async", [False, True])
def test_what_a_tool_raises_is_a_tool_error(runtime: pyampoule.Runtime, is_async: bool) -> None:
    def fail(kind: str) -> None:
        raise {"said": KeyError("grüße"), "unsaid": RuntimeError(), "exit": SystemExit("leave")}[kind]

    async def fail_async(kind: str) -> None:
        fail(kind)

    tool = pyampoule.tool(name="fail")(fail_async if is_async else fail)
    code = """
        const told = [];
        for (const kind of ["said", "unsaid"]) {
            try { await host.fail({ kind }) } catch (error) { told.push([error.name, error.message]) }
        }
        return told;
    """
    told = runtime.run(code, tools=[tool]).result()
    assert told == [["ToolError", "'grüße'"], ["ToolError", "RuntimeError"]]


def test_functions_without_hints_methods_and_partials(runtime: pyampoule.Runtime) -> None:
    class Shop:
        name = "corner"

        def where(self, street):  # type: ignore[no-untyped-def]
            return [self.name, street]

    def power(base: int, exponent: int) -> int:
        return int(base**exponent)

    square = pyampoule.tool(name="square")(functools.partial(power, exponent=2))
    tools: list[Any] = [Shop().where, square]
    code = "return [await host.where({ street: 'Main' }), await host.square({ base: 7 })]"
    assert runtime.run(code, tools=tools).result() == [["corner", "Main"], 49]


def test_tools_of_several_servers(runtime: pyampoule.Runtime) -> None:
    def get(key: str) -> str:
        return key

    tools = {"my-shop": [get], "bank": [get]}
    code = "return await tools.my_shop.get(key='a') + await bank.get(key='b')"
    assert runtime.run(code, tools=tools, language="python").result() == "ab"


def test_what_is_no_tool_is_refused(runtime: pyampoule.Runtime) -> None:
    with pytest.raises(pyampoule.UsageError, match="is not a tool"):
        runtime.run("", tools=["add"])  # type: ignore[list-item]
    with pytest.raises(pyampoule.UsageError, match="two are called `order`"):
        runtime.run("", tools=[order, order])

    def positional(*given: int) -> None: ...

    with pytest.raises(pyampoule.UsageError, match="must have names"):
        pyampoule.tool(positional)

    class Odd: ...

    def odd(of: Odd) -> None: ...

    with pytest.raises(pyampoule.UsageError, match="the tool `odd`"):
        pyampoule.tool(odd)


user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")


def test_tools_see_the_context_of_who_started_the_run(runtime: pyampoule.Runtime) -> None:
    def who() -> str:
        return user.get()

    async def who_async() -> str:
        return user.get()

    user.set("Ada")
    code = "return [await host.who(), await host.who_async()]"
    given: dict[str, Any] = {"tools": [who, who_async], "language": "python"}
    assert runtime.run(code, **given).result() == ["Ada", "Ada"]

    async def in_a_coroutine() -> Any:
        user.set("Grace")
        return (await runtime.run_async(code, **given)).result()

    assert asyncio.run(in_a_coroutine()) == ["Grace", "Grace"]
    assert user.get() == "Ada"


def test_a_tool_that_blocks_stops_no_other_run(runtime: pyampoule.Runtime) -> None:
    release, blocked = threading.Event(), threading.Semaphore(0)

    def block() -> bool:
        blocked.release()
        return release.wait(60)

    async def others() -> None:
        # More than there are threads that compute.
        waiting = [asyncio.create_task(runtime.run_async("return await host.block()", tools=[block])) for _ in range(20)]
        for _ in waiting:
            await asyncio.to_thread(blocked.acquire)
        for _ in range(5):
            assert (await runtime.run_async("return 7")).result() == 7
        release.set()
        assert all([(await each).result() for each in waiting])

    asyncio.run(others())


def test_calls_of_one_run_are_made_at_once(runtime: pyampoule.Runtime) -> None:
    everybody = threading.Barrier(8)

    def meet() -> int:
        return everybody.wait(60)

    code = "return (await Promise.all(Array.from({ length: 8 }, () => host.meet()))).length"
    assert runtime.run(code, tools=[meet]).result() == 8


def test_a_tool_may_run_a_script(runtime: pyampoule.Runtime) -> None:
    def inner(n: int) -> int:
        return runtime.run(f"return {n} + 1").result(int)

    async def inner_async(n: int) -> int:
        return int((await runtime.run_async(f"return {n} + 1")).result())

    # It is quick at first, so that it is called where the run is.
    calm = threading.Event()

    def nested(n: int) -> int:
        return inner(n) if calm.is_set() else n

    tools: list[Any] = [inner, inner_async, nested]
    assert runtime.run("return await host.inner({ n: await host.inner_async({ n: 1 }) })", tools=tools, language="js").result() == 3
    for _ in range(20):
        runtime.run("await host.nested({ n: 1 })", tools=tools)
    calm.set()
    assert runtime.run("return await host.nested({ n: 1 })", tools=tools).result() == 2


def test_a_call_that_is_given_up_cancels_its_task(runtime: pyampoule.Runtime) -> None:
    ended: list[str] = []

    async def wait() -> None:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    async def main() -> None:
        run = runtime.start("await host.wait()", tools=[wait])
        async for event in run.events():
            if isinstance(event, pyampoule.CallStarted):
                run.cancel()
        assert isinstance(await run, pyampoule.Cancelled)
        began = time.monotonic()
        while not ended and time.monotonic() < began + 30:
            await asyncio.sleep(0)
        assert ended == ["cancelled"]

    asyncio.run(main())
