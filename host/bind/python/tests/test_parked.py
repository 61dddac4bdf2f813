"""Runs that are parked because a call waits for an answer from outside."""

import asyncio
import pathlib
from typing import Any

import pytest

import pyampoule

CODE = "const all = await Promise.all([1, 2].map((n) => host.pay({ n }))); return all"


@pyampoule.tool
def pay(n: int) -> int:
    return n


def asking(*known: int, is_async: bool = False) -> Any:
    def layer(call: pyampoule.PassingCall, next: pyampoule.Next) -> Any:
        if call.number not in known:
            raise pyampoule.ParkRequest({"tool": call.tool})
        return next()

    async def later(call: pyampoule.PassingCall, next: pyampoule.Next) -> Any:
        return await layer(call, next)

    return later if is_async else layer


@pytest.mark.parametrize("is_async", [False, True])
def test_a_layer_parks_a_run(tmp_path: pathlib.Path, is_async: bool) -> None:
    with pyampoule.Runtime(parked=tmp_path / "parked") as runtime:

        def run(code: Any, *known: int, **options: Any) -> pyampoule.Outcome:
            layers = [asking(*known, is_async=is_async)]
            if is_async:
                return asyncio.run(runtime.run_async(code, tools=[pay], layers=layers, **options))
            return runtime.run(code, tools=[pay], layers=layers, **options)

        outcome = run(CODE, 0, park_after=0.01, label="a")
        assert isinstance(outcome, pyampoule.Parked)
        assert outcome.waiting == [pyampoule.WaitingCall(1, "host", "pay", {"n": 2}, {"tool": "pay"})]
        with pytest.raises(pyampoule.ParkedError, match="host.pay") as parked:
            outcome.result()
        assert parked.value.outcome is outcome
        (listed,) = runtime.parked()
        assert (listed.run, listed.label, listed.state) == (outcome.run, "a", "left")
        assert listed.open_calls[0].arguments == {"n": 2}
        assert runtime.parked("somebody") == []
        assert run(pyampoule.Resume(outcome.run), 0, 1).result() == [1, 2]
        assert runtime.parked() == []


def test_a_parked_run_can_be_removed(tmp_path: pathlib.Path) -> None:
    with pyampoule.Runtime(parked=tmp_path / "parked") as runtime:
        outcome = runtime.run(CODE, tools=[pay], layers=[asking()], park_after="10ms")
        assert isinstance(outcome, pyampoule.Parked)
        runtime.remove_parked(outcome.run)
        with pytest.raises(pyampoule.UsageError, match="unknown parked run"):
            runtime.run(pyampoule.Resume(outcome.run), tools=[pay])


def test_a_call_that_can_not_wait_says_why(tmp_path: pathlib.Path) -> None:
    with pyampoule.Runtime(parked=tmp_path / "parked") as runtime:
        caught = "try { await host.pay({ n: 1 }) } catch (error) { return error.message }"
        started = runtime.run(caught, tools=[pay], layers=[asking()], park_after=0.01, check="off")
        assert isinstance(started, pyampoule.Parked)
        code = "try:\n    host.pay(n=1).result()\nexcept ToolError as error:\n    return str(error)"
        blocking = runtime.run(code, language="python", tools=[pay], layers=[asking()], park_after=0.01)
        assert "can't be parked" in blocking.result()
