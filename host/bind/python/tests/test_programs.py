"""The programs that each binding brings to the same end: see tests/bindings/README.md."""

import asyncio
import json
import pathlib
import time
from typing import Any

import pytest

import pyampoule
from pyampoule import Tool

FOLDER = pathlib.Path(__file__).resolve().parents[4] / "tests/bindings"
CASES = sorted(path.stem for path in (FOLDER / "programs").glob("*.json"))
LANGUAGES = {"ts": "typescript", "py": "python"}


async def sleep(arguments: dict[str, Any]) -> None:
    await asyncio.sleep(arguments["ms"] / 1000)


def block(arguments: dict[str, Any]) -> None:
    time.sleep(arguments["ms"] / 1000)


def fail(arguments: dict[str, Any]) -> None:
    raise LookupError(arguments["message"])


FUNCTIONS = {
    "add": lambda arguments: {"sum": arguments["a"] + arguments["b"]},
    "echo": lambda arguments: arguments["value"],
    "sleep": sleep,
    "block": block,
    "fail": fail,
}
TOOLS = [
    Tool.of_schema(
        FUNCTIONS[each["name"]],
        name=each["name"],
        description=each["description"],
        input_schema=each["inputSchema"],
        output_schema=each.get("outputSchema"),
    )
    for each in json.loads((FOLDER / "tools.json").read_text())
]


def limits(given: dict[str, Any]) -> pyampoule.Limits:
    """In Python, names are in snake case, and times are seconds."""
    named = {"".join(f"_{c.lower()}" if c.isupper() else c for c in name): value for name, value in given.items()}
    if isinstance(named.get("wall_time"), (int, float)):
        named["wall_time"] /= 1000
    return pyampoule.Limits(**named)


def check(expected: dict[str, Any], outcome: pyampoule.Outcome) -> None:
    assert outcome.ending == expected["ending"], outcome
    if "value" in expected:
        assert outcome.result() == expected["value"]
    if "error" in expected:
        assert isinstance(outcome, pyampoule.Threw)
        for key, wanted in expected["error"].items():
            if key == "says":
                assert wanted in outcome.error.message
            elif key == "line":
                assert outcome.error.location is not None and outcome.error.location.line == wanted
            else:
                assert getattr(outcome.error, key) == wanted
    for key in ("limit", "allowed"):
        if key in expected:
            assert getattr(outcome, key) == expected[key]
    if "output" in expected:
        assert outcome.printed == expected["output"]
    if "calls" in expected:
        assert [f"{call.server}.{call.tool}" for call in outcome.usage.calls] == expected["calls"]


async def carried_out(runtime: pyampoule.Runtime, code: str, language: str, expected: dict[str, Any]) -> pyampoule.Outcome:
    run = runtime.start(
        code,
        language=language,
        tools=TOOLS,
        env=expected.get("env"),
        strings=expected.get("strings"),
        limits=limits(expected.get("limits", {})),
    )
    if "cancelOn" in expected:
        async for event in run.events():
            if isinstance(event, pyampoule.Output) and event.text == expected["cancelOn"]:
                run.cancel()
    return await run


@pytest.mark.parametrize("end", LANGUAGES)
@pytest.mark.parametrize("case", CASES)
def test_comes_to_its_end(runtime: pyampoule.Runtime, case: str, end: str) -> None:
    expected = json.loads((FOLDER / "programs" / f"{case}.json").read_text())
    code = (FOLDER / "programs" / f"{case}.{end}").read_text()
    expected |= expected.get(LANGUAGES[end], {})
    for _ in range(expected.get("times", 1)):
        check(expected, asyncio.run(carried_out(runtime, code, LANGUAGES[end], expected)))
        if "cancelOn" not in expected:
            given = limits(expected.get("limits", {}))
            texts = {key: expected.get(key) for key in ("env", "strings")}
            check(expected, runtime.run(code, language=LANGUAGES[end], tools=TOOLS, limits=given, **texts))


def test_there_are_enough() -> None:
    assert len(CASES) >= 30
