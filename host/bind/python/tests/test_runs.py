"""Runs: options, outcomes, events, cancellation, many at once."""

import asyncio
import datetime
import os
import pathlib
import threading
import time
from typing import Any

import pytest

import pyampoule
from pyampoule import Limits


def test_outcomes_are_dataclasses(runtime: pyampoule.Runtime) -> None:
    outcome = runtime.run("console.log('a'); return [1]")
    match outcome:
        case pyampoule.Returned(value=[one], output=[pyampoule.Line("log", "a")], language="typescript"):
            assert one == 1
        case _:
            pytest.fail(f"{outcome}")
    assert outcome.usage.fuel > 0 and outcome.usage.peak_memory_bytes > 1 << 20
    assert (outcome.ending, outcome.printed) == ("returned", "a\n")


def test_a_value_of_a_type(runtime: pyampoule.Runtime) -> None:
    outcome = runtime.run("return { when: '2026-11-24', sizes: [1, 2] }")
    when = outcome.result(dict[str, Any])["when"]
    assert when == "2026-11-24"
    with pytest.raises(pyampoule.ResultTypeError, match="valid integer"):
        outcome.result(int)


def test_exceptions_name_the_limit(runtime: pyampoule.Runtime) -> None:
    outcome = runtime.run("for (;;) {}", limits=Limits(wall_time=0.2))
    with pytest.raises(pyampoule.LimitError, match="`wall-time`") as raised:
        outcome.result()
    error = raised.value
    assert (error.limit, error.allowed, error.unit, error.outcome) == ("wall-time", 200, "ms", outcome)
    assert error.used >= 200


def test_exceptions_have_the_script_s_error(runtime: pyampoule.Runtime) -> None:
    with pytest.raises(pyampoule.ScriptError) as raised:
        runtime.run("x = 1\nraise KeyError('a')", language="python").result()
    assert raised.value.name == "KeyError"
    assert "script.py:2:1" in str(raised.value) and "raise KeyError('a')" in str(raised.value)
    with pytest.raises(pyampoule.Error):
        raise raised.value


@pytest.mark.parametrize(
    ("limits", "limit"),
    [
        (Limits(wall_time=datetime.timedelta(milliseconds=200)), "wall-time"),
        (Limits(wall_time="200ms"), "wall-time"),
        ({"wall_time": 0.2}, "wall-time"),
        (Limits(fuel=300_000_000), "fuel"),
    ],
)
def test_limits_are_written_in_many_ways(runtime: pyampoule.Runtime, limits: Any, limit: str) -> None:
    outcome = runtime.run("for (;;) {}", limits=limits)
    assert isinstance(outcome, pyampoule.Limit) and outcome.limit == limit


def test_what_is_asked_for_in_vain_is_told_in_a_sentence(runtime: pyampoule.Runtime) -> None:
    for options, said in (
        ({"language": "ruby"}, "unknown language `ruby`"),
        ({"limits": {"time": 1}}, "unknown limit `time`; the limits are argument_bytes,"),
        ({"limits": Limits(memory="lots")}, "the limit `memory`: this is not a size"),
        ({"limits": Limits(memory="1 TiB")}, "above the ceiling"),
        ({"env": {"a": object()}}, "`env` must be what JSON is made of"),
        ({"grant": "nobody.*"}, "nobody"),
        ({"session": "s"}, "this host keeps no sessions"),
    ):
        with pytest.raises(pyampoule.UsageError) as raised:
            runtime.run("return 1", **options)
        assert said in str(raised.value)
        assert isinstance(raised.value, ValueError)
    with pytest.raises(pyampoule.UsageError, match="command"):
        pyampoule.Runtime(servers={"files": {"command": 1}})


def test_events_as_an_iterator(runtime: pyampoule.Runtime) -> None:
    async def main() -> list[pyampoule.Event]:
        run = runtime.start("console.log('a'); console.error('b'); progress(0.5, 'half'); return 1", language="js")
        events = [event async for event in run.events()]
        assert [event.run for event in events] == [run.id] * len(events)
        # A later listener gets all events from the start.
        assert [event async for event in run.events()] == events
        assert (await run).result() == 1
        return events

    told = [event for event in asyncio.run(main()) if not event.kind.startswith("compil")]
    assert [(event.level, event.text) for event in told if isinstance(event, pyampoule.Output)] == [("log", "a"), ("error", "b")]
    assert [(event.fraction, event.text) for event in told if isinstance(event, pyampoule.Progress)] == [(0.5, "half")]


def test_cancelling_the_task_cancels_the_run(runtime: pyampoule.Runtime) -> None:
    async def main() -> None:
        called, given_up = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            called.set()
            try:
                await asyncio.sleep(60)
            finally:
                given_up.set()

        task = asyncio.create_task(runtime.run_async("await host.wait()", tools=[wait]))
        await called.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(given_up.wait(), 30)

    asyncio.run(main())


def test_a_timeout_of_asyncio_s(runtime: pyampoule.Runtime) -> None:
    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(runtime.run_async("for (;;) {}"), 0.2)
        assert (await runtime.run_async("return 1")).result() == 1

    asyncio.run(main())


def test_a_thousand_at_once(runtime: pyampoule.Runtime) -> None:
    def double(n: int) -> int:
        return 2 * n

    async def half(n: int) -> float:
        await asyncio.sleep(0.01)
        return n / 2

    async def main() -> list[Any]:
        code = "return await host.half({ n: await host.double({ n: env.n }) })"
        runs = [runtime.run_async(code, language="js", tools=[double, half], env={"n": n}) for n in range(1000)]
        return [outcome.result() for outcome in await asyncio.gather(*runs)]

    assert asyncio.run(main()) == list(range(1000))


def test_python_goes_on_while_isolates_run(runtime: pyampoule.Runtime) -> None:
    turns = 0

    def turn() -> None:
        nonlocal turns
        while not over.is_set():
            turns += 1

    over = threading.Event()
    thread = threading.Thread(target=turn)
    thread.start()
    outcome = runtime.run("for (;;) {}", limits=Limits(wall_time=0.3))
    seen = turns
    over.set()
    thread.join()
    assert isinstance(outcome, pyampoule.Limit) and seen > 1000


def test_threads_run_scripts_of_their_own(runtime: pyampoule.Runtime) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    results: list[int] = []

    def run(n: int) -> None:
        for each in range(10):
            code = f"return await host.add({{ a: {n}, b: {each} }})"
            results.append(runtime.run(code, tools=[add]).result(int))

    threads = [threading.Thread(target=run, args=(n,)) for n in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(results) == sum(n + each for n in range(16) for each in range(10))


def test_several_loops_one_after_the_other_and_at_once(runtime: pyampoule.Runtime) -> None:
    async def main() -> Any:
        async def one() -> int:
            await asyncio.sleep(0)
            return 1

        return (await runtime.run_async("return await host.one()", tools=[one])).result()

    assert [asyncio.run(main()) for _ in range(5)] == [1] * 5
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(asyncio.run(main()))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [1] * 8


def test_sessions_go_on_and_records_are_left(tmp_path: pathlib.Path) -> None:
    with pyampoule.Runtime(sessions=tmp_path / "sessions", records=tmp_path / "records") as runtime:
        runtime.run("n = 41", session="one", language="python")
        outcome = runtime.run("n + 1", session="one", language="python", record=True)
    assert outcome.result() == 42
    assert outcome.session is not None and outcome.session.kept and outcome.session.run == 2
    assert outcome.record is not None and list((tmp_path / "records").rglob(f"*{outcome.record}*"))


def test_workspaces_are_each_principal_s_own(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "a.txt").write_text("given")
    with pyampoule.Runtime(workspaces=tmp_path / "files", folders={"given": folder}) as runtime:
        write = "open('/workspace/b.txt', 'w').write(open('/folders/given/a.txt').read())"
        assert runtime.run(write, language="python", principal="ada").ending == "returned"
        read = "import os\nreturn os.path.exists('/workspace/b.txt')"
        assert runtime.run(read, language="python", principal="ada").result() is True
        assert runtime.run(read, language="python", principal="grace").result() is False


def test_one_call_is_a_run_of_its_own() -> None:
    @pyampoule.tool
    def add(a: int, b: int) -> int:
        return a + b

    @pyampoule.tool
    def broken() -> None:
        raise ValueError("out of ink")

    with pyampoule.Runtime() as runtime:
        call = pyampoule.DirectCall("host", "add", {"a": 40, "b": 2})
        outcome = runtime.run(call, tools=[add])
        assert (outcome.result(), outcome.language) == (42, "call")
        assert [used.tool for used in outcome.usage.calls] == ["add"] and outcome.usage.peak_memory_bytes == 0
        assert asyncio.run(runtime.run_async(call, tools=[add])).result() == 42
        with pytest.raises(pyampoule.ScriptError, match="host.broken: .*out of ink"):
            runtime.run(pyampoule.DirectCall("host", "broken"), tools=[broken]).result()
        with pytest.raises(pyampoule.ScriptError, match="`b`"):
            runtime.run(pyampoule.DirectCall("host", "add", {"a": 1}), tools=[add]).result()
        with pytest.raises(pyampoule.UsageError, match="`env` is an option of scripts"):
            runtime.run(call, tools=[add], env={"a": 1})
        with pytest.raises(pyampoule.UsageError, match="`code` must be a script as text, a DirectCall, an Undo or a Resume, not dict"):
            runtime.run({"server": "host", "tool": "add"})  # type: ignore[arg-type]
        with pytest.raises(pyampoule.UsageError, match="`arguments` must be what JSON is made of"):
            runtime.run(pyampoule.DirectCall("host", "add", {"a": object()}), tools=[add])


def test_a_failed_run_is_undone_once() -> None:
    called: list[object] = []

    @pyampoule.tool(undo="remove({ id: result })")
    def create() -> int:
        called.append("create")
        return len(called)

    @pyampoule.tool
    def remove(id: int) -> None:
        called.append(id)

    with pyampoule.Runtime() as runtime:
        script = "await host.create({}); await host.create({}); throw new Error('no')"
        offer = runtime.run(script, tools=[create, remove]).undo
        assert offer is not None
        taken = [(call.tool, call.arguments, call.takes_back.call) for call in offer.calls]
        assert taken == [("remove", '{"id":2}', 1), ("remove", '{"id":1}', 0)]
        undone = runtime.run(pyampoule.Undo(offer.run), tools=[create, remove])
        assert (undone.ending, undone.language) == ("returned", "undo")
        assert called == ["create", "create", 2, 1]
        with pytest.raises(pyampoule.UsageError, match="a run is undone once"):
            runtime.run(pyampoule.Undo(offer.run), tools=[create, remove])
        with pytest.raises(pyampoule.UsageError, match="`env` is an option of scripts"):
            runtime.run(pyampoule.Undo(offer.run), env={"a": 1})

        @pyampoule.tool(undo="remove({ id: results.id })")
        def wrong() -> None: ...

        with pytest.raises(pyampoule.UsageError, match="undo"):
            runtime.run("return 1", tools=[wrong])


def test_exceptions_list_the_calls_that_may_have_changed_something() -> None:
    @pyampoule.tool
    def order(item: str) -> str:
        return f"ordered {item}"

    with pyampoule.Runtime() as runtime:
        code = "await host.order({ item: 'ink' }); throw new Error('then this')"
        with pytest.raises(pyampoule.ScriptError) as raised:
            runtime.run(code, tools=[order]).result()
        assert "then this" in str(raised.value) and "host.order" in str(raised.value) and "ink" in str(raised.value)


def test_values_for_the_person_are_apart_from_the_result() -> None:
    def order(item: str) -> dict[str, str]:
        return {"item": item}

    with pyampoule.Runtime() as runtime:
        code = "emit('a', [1]); return (await whole(host.order, { item: 'ink' })).structuredContent"
        outcome = runtime.run(code, tools=[order])
        assert (outcome.result(), outcome.emitted) == ({"item": "ink"}, ["a", [1]])
        outcome = runtime.run("emit('a')\nraise ValueError()", language="python")
        assert (outcome.ending, outcome.emitted) == ("threw", ["a"])


def test_a_runtime_that_is_closed_says_so() -> None:
    runtime = pyampoule.Runtime()
    runtime.close()
    runtime.close()
    with pytest.raises(pyampoule.ClosedError, match="the runtime was closed"):
        runtime.run("return 1")


def test_closing_ends_runs_under_way() -> None:
    async def main() -> None:
        runtime = pyampoule.Runtime()
        run = runtime.start("for (;;) {}")
        await asyncio.to_thread(runtime.close)
        with pytest.raises(pyampoule.ClosedError):
            await run

    asyncio.run(main())


def test_memory_after_many_runs(runtime: pyampoule.Runtime) -> None:
    def add(a: int, b: int) -> int:
        return a + b

    def resident() -> int:
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    async def some(count: int) -> None:
        for _ in range(count // 50):
            runs = [runtime.run_async("return await host.add({ a: 1, b: 2 })", tools=[add]) for _ in range(50)]
            await asyncio.gather(*runs)

    count = int(os.environ.get("AMPOULE_TEST_RUNS", "2000"))
    asyncio.run(some(1000))
    before = resident()
    asyncio.run(some(count))
    for _ in range(count // 2):
        runtime.run("return await host.add({ a: 1, b: 2 })", tools=[add])
    grown = resident() - before
    print(f"{count} runs in coroutines and {count // 2} on this thread: {grown / (1 << 20):.1f} MiB more")
    assert grown < 32 << 20
