"""Scripts whose calls need approval: which calls, who is asked, and what an answer is for."""

import asyncio
import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

import pyampoule
from pyampoule._approvals import ApprovedCode, Approve, AskedBefore, Decision, Step, label_of, step_of
from pyampoule._kept import OpenCall, ParkedRun

paid: list[int] = []


@pyampoule.tool
def pay(n: int) -> int:
    paid.append(n)
    return n


@pyampoule.tool
def see() -> str:
    return "seen"


@pytest.fixture
def parking(tmp_path: pathlib.Path) -> Iterator[pyampoule.Runtime]:
    paid.clear()
    with pyampoule.Runtime(parked=tmp_path / "parked") as runtime:
        yield runtime


def code_of(runtime: pyampoule.Runtime, approve: Approve) -> ApprovedCode:
    return ApprovedCode(pyampoule.CodeTool(runtime, [pay, see], limits=pyampoule.Limits(wall_time=20)), approve)


def ran(code: ApprovedCode, script: str) -> pyampoule.Outcome:
    async def run() -> pyampoule.Outcome:
        return await code.start(script, "a")

    return asyncio.run(run())


def test_patterns_mean_what_they_mean_in_a_configuration(parking: pyampoule.Runtime) -> None:
    approves: list[Approve] = ["host.pay", "host.Pay", "host", "*", ["x", "host.p*"], lambda call: call.tool == "pay"]
    for approve in approves:
        assert isinstance(ran(code_of(parking, approve), "await host.pay({ n: 1 })"), pyampoule.Parked), approve
    assert ran(code_of(parking, "host.see"), "return await host.pay({ n: 1 })").result() == 1
    assert ran(code_of(parking, ()), "return await host.pay({ n: 2 })").result() == 2
    wrong: list[Approve] = ["", [""], ".pay"]
    for approve in wrong:
        with pytest.raises(pyampoule.UsageError, match="is not a pattern for tools"):
            code_of(parking, approve)


def test_without_the_folder_a_call_that_asks_fails_and_says_so(runtime: pyampoule.Runtime, parking: pyampoule.Runtime) -> None:
    assert (runtime.parks, parking.parks) == (False, True)
    code = code_of(runtime, "host.pay")
    script = "try { await host.pay({ n: 1 }) } catch (error) { return [await host.see(), error.message] }"
    seen, message = ran(code, script).result()
    assert seen == "seen" and "give the runtime the folder `parked`" in message
    assert code.kept() == [] and paid == []


def asked(before: AskedBefore, given: dict[str, Any], call_id: str, *, is_answered: bool = False) -> list[Any] | None:
    waiting = asyncio.run(before.asking(given, call_id, is_answered))
    return None if waiting is None else [call.arguments for call in waiting.open_calls]


def test_an_approval_is_for_the_calls_that_were_shown_and_is_used_once(parking: pyampoule.Runtime) -> None:
    before = AskedBefore(code_of(parking, "host.pay"), None)
    given = {"code": "return [await host.pay({ n: 1 }), await host.pay({ n: 2 })]"}
    assert asked(before, given, "c") == [{"n": 1}]
    with pytest.raises(PermissionError):
        asyncio.run(before.result(given, "c", False))
    told = asyncio.run(before.result(given, "c", True))
    assert "{'n': 2}" in told and paid == [1]
    # The same approval comes again: nobody was shown the second call.
    assert asked(before, given, "c", is_answered=True) is None
    assert asyncio.run(before.result(given, "c", True)) == told
    assert paid == [1]
    rest = {"resume": told.rpartition(" ")[2]}
    assert asked(before, rest, "d") == [{"n": 2}]
    assert asyncio.run(before.result(rest, "d", True)) == "[1, 2]"
    assert asyncio.run(before.result(rest, "d", True)) == "[1, 2]"
    assert paid == [1, 2]


def test_an_approval_of_a_run_that_is_gone_approves_no_other(parking: pyampoule.Runtime) -> None:
    before = AskedBefore(code_of(parking, "host.pay"), "thread")
    given = {"code": "return await host.pay({ n: 1 })"}
    assert asked(before, given, "c") == [{"n": 1}]
    (run,) = parking.parked()
    parking.remove_parked(run.run)
    assert asked(before, given, "c", is_answered=True) is None
    assert "waits for approval" in asyncio.run(before.result(given, "c", True))
    assert paid == []


def test_labels_are_exact_and_answers_are_for_calls_by_their_numbers() -> None:
    label = label_of("thread/1", "call", code="return 1")
    assert label.startswith("thread%2F1/call/") and label != label_of("thread/1", "call", code="return 2")
    with pytest.raises(ValueError, match="has no id"):
        label_of("thread", "", code="x")

    def run(label: str, state: str = "left") -> ParkedRun:
        calls = [OpenCall(number, "host", "pay", {}) for number in (3, 4)]
        return ParkedRun(label, state, "javascript", None, label, None, calls, 5, 0)  # type: ignore[arg-type]

    kept = [run(f"{label}x#0"), run(label), run(f"{label}#2"), run("busy#0", "parked")]
    step = step_of(kept, label)
    assert step is not None and (step.run.label, step.times) == (f"{label}#2", 2)
    assert step_of(kept, "thread%2F1") is None
    with pytest.raises(RuntimeError, match="is still running"):
        step_of(kept, "busy")
    # A plain approval is for the calls that were shown first, and a denial for all.
    for old in (True, {"approved": True}, {"0": True}):
        assert step.decisions(old) == {}
    assert step.decisions({"4": True}) == {4: Decision(True)}
    assert step.decisions({"approved": False, "reason": "no"})[3] == Decision(False, "no")
    assert Step(kept[0], 0).decisions(True) == {3: Decision(True), 4: Decision(True)}
