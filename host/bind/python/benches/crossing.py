"""What it costs to cross from Python into an isolate and back: `python benches/crossing.py`, with the package built for
release and on a machine that does nothing else. The same in Rust is what `ampoule tools cost` says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pyampoule

ROUNDS = 7
RUNS = 1000
CALLS = 2000


@pyampoule.tool
def at_once(n: int) -> int:
    """Gives it back."""
    return n


@pyampoule.tool
async def in_a_loop(n: int) -> int:
    """Gives it back."""
    return n


def layer(call: pyampoule.PassingCall, next: pyampoule.Next) -> Any:
    return next()


async def layer_in_a_loop(call: pyampoule.PassingCall, next: pyampoule.Next) -> Any:
    return await next()


def micros(work: Callable[[], object], count: int) -> float:
    """The best of some rounds, for each of that many."""
    took = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        took.append(time.perf_counter() - began)
    return min(took) / count * 1e6


def main() -> None:
    runtime = pyampoule.Runtime()

    def here(language: str) -> None:
        for _ in range(RUNS):
            runtime.run("return 1", language=language)

    async def in_turn() -> None:
        for _ in range(RUNS):
            await runtime.run_async("return 1", language="javascript")

    async def together() -> None:
        await asyncio.gather(*(runtime.run_async("return 1", language="javascript") for _ in range(RUNS)))

    def calls(tool: pyampoule.Tool[..., Any], count: int, *layers: pyampoule.Layer) -> None:
        code = f"for (let n = 0; n < {count}; n++) await host.{tool.name}({{ n }})"
        runtime.run(code, language="javascript", tools=[tool], layers=layers).result()

    for language in ("javascript", "python"):
        print(f"a trivial run in {language}: {micros(lambda: here(language), RUNS):.1f} µs")
    print(f"one after the other in a coroutine: {micros(lambda: asyncio.run(in_turn()), RUNS):.1f} µs")
    print(f"a thousand at once, each: {micros(lambda: asyncio.run(together()), RUNS):.1f} µs")
    tools: list[pyampoule.Tool[..., Any]] = [at_once, in_a_loop]
    for tool in tools:
        calls(tool, 100)
        print(f"a call of `{tool.name}`: {micros(lambda: calls(tool, CALLS), CALLS):.1f} µs")
    layers: list[pyampoule.Layer] = [layer, layer_in_a_loop]
    for each in layers:
        took = micros(lambda: calls(at_once, CALLS, each), CALLS)
        print(f"a call of `at_once` through `{getattr(each, '__name__', '')}`: {took:.1f} µs")


if __name__ == "__main__":
    main()
