"""Sandboxes that do the same work: a trivial run, calls of a function of the host, and JSON that the host has."""

from __future__ import annotations

import importlib
import importlib.metadata
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyampoule

ROWS = [{"id": n, "name": f"row {n}", "tags": ["a", "b"], "price": n + 0.5} for n in range(10_000)]
# The host has it as text: each sandbox reads it, as it would read an answer of some service.
TEXT = json.dumps(ROWS)

TRIVIAL = "6 * 7"
SUM = "sum(int(row['price']) for row in rows)"


@dataclass
class Contender:
    name: str
    version: str
    # What is done, by its name.
    work: dict[str, Callable[[], object]]
    close: Callable[[], object] = lambda: None


def next_of(n: int) -> int:
    return n


def in_ampoule() -> Contender:
    runtime = pyampoule.Runtime()

    def rows() -> Any:
        return json.loads(TEXT)

    # Made once: to declare a tool takes longer than a small run.
    tools: list[pyampoule.Tool[..., Any]] = [pyampoule.tool(next_of), pyampoule.tool(rows)]

    def run(code: str) -> object:
        return runtime.run(code, language="python", tools=tools).result()

    return Contender(
        "ampoule",
        pyampoule.__version__,
        {
            "trivial": lambda: run(TRIVIAL),
            "calls": lambda: run("total = 0\nfor n in range(1000):\n    total += await host.next_of(n=n)\ntotal"),
            "rows": lambda: run(f"rows = await host.rows()\n{SUM}"),
        },
        runtime.close,
    )


def in_monty(name: str, options: dict[str, int]) -> Contender:
    monty: Any = importlib.import_module("pydantic_monty")
    pool = monty.Monty(min_processes=1, max_processes=2, **options).__enter__()

    def run(code: str, functions: dict[str, Callable[..., object]] | None = None) -> object:
        # Names are given to it as functions of the host.
        with pool.checkout(limits={"max_feed_duration_secs": 60.0, "max_suspensions": 10_000}) as session:
            return session.feed_run(code, external_lookup=functions)

    calls = "total = 0\nfor n in range(1000):\n    total += next_of(n=n)\ntotal"
    return Contender(
        name,
        importlib.metadata.version("pydantic-monty"),
        {
            "trivial": lambda: run(TRIVIAL),
            "calls": lambda: run(calls, {"next_of": next_of}),
            "rows": lambda: run(f"import json\nrows = json.loads(text())\n{SUM}", {"text": lambda: TEXT}),
        },
        lambda: pool.__exit__(None, None, None),
    )


def in_sessions() -> Contender:
    """In a worker process that is kept."""
    return in_monty("pydantic-monty, a session for each run", {})


def in_workers() -> Contender:
    return in_monty("pydantic-monty, a worker for each run", {"max_checkouts_per_worker": 1})


def in_eryx() -> Contender:
    eryx: Any = importlib.import_module("eryx")

    def callback(name: str, function: Callable[..., object]) -> dict[str, object]:
        async def called(**arguments: object) -> object:
            return function(**arguments)

        return {"name": name, "fn": called, "description": name}

    callbacks = [callback("next_of", next_of), callback("text", lambda: TEXT)]

    def run(code: str, given: list[dict[str, object]] | None = None) -> object:
        sandbox = eryx.Sandbox(
            resource_limits=eryx.ResourceLimits(
                execution_timeout_ms=60_000, callback_timeout_ms=60_000, max_callback_invocations=10_000
            ),
            callbacks=given,
        )
        ran = sandbox.execute(code)
        if ran.result_error:
            raise RuntimeError(ran.result_error)
        return ran.result

    calls = "total = 0\nfor n in range(1000):\n    total += await next_of(n=n)\nresult = total"
    return Contender(
        "eryx, a sandbox for each run",
        importlib.metadata.version("pyeryx"),
        {
            "trivial": lambda: run(f"result = {TRIVIAL}"),
            "calls": lambda: run(calls, callbacks),
            "rows": lambda: run(f"import json\nrows = json.loads(await text())\nresult = {SUM}", callbacks),
        },
    )


# What Ampoule is measured beside.
OTHERS = [in_sessions, in_workers, in_eryx]
