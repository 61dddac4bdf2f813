"""Ampoule beside other sandboxes for Python: `python benches/compare.py [--rounds N] [--json FILE]`, with the package
built for release, on a machine that does nothing else, and with `pydantic-monty` and `pyeryx` installed.

Each run is one that nothing is left of. Each contender does the same work in each round, one after the other, and the
next round begins with the next of them."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import platform
import sys
import time
from dataclasses import dataclass

from contenders import OTHERS, Contender, in_ampoule


@dataclass
class Work:
    what: str
    # One of how many rounds has it.
    of: int
    result: int


WORKS = {
    "trivial": Work("a trivial run", 1, 42),
    "calls": Work("1,000 calls of a function of the host", 10, 499_500),
    "rows": Work("JSON of 10,000 rows, summed", 10, 49_995_000),
}


def measured(contender: Contender, work: str) -> float:
    """How long it took, in microseconds."""
    began = time.perf_counter()
    result = contender.work[work]()
    took = (time.perf_counter() - began) * 1e6
    if result != WORKS[work].result:
        raise RuntimeError(f"{contender.name}: {work} came to {result!r}")
    return took


def warm(contender: Contender) -> Contender:
    for work in WORKS:
        for _ in range(3):
            measured(contender, work)
    return contender


def present() -> list[Contender]:
    """All that are installed, ampoule first."""
    contenders = [warm(in_ampoule())]
    for make in OTHERS:
        try:
            contenders.append(warm(make()))
        except ImportError as error:
            print(f"left out, {make.__name__}: {error}", file=sys.stderr)
    return contenders


def quantile(took: list[float], part: float) -> int:
    return round(sorted(took)[min(len(took) - 1, int(len(took) * part))])


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=200)
    options.add_argument("--json", type=pathlib.Path)
    given = options.parse_args()
    if given.rounds < 1:
        options.error(f"--rounds must be a number of rounds, and is {given.rounds}")
    contenders = present()
    took: dict[tuple[str, str], list[float]] = {}
    for round in range(given.rounds):
        for work, its in WORKS.items():
            if round % its.of == 0:
                for n in range(len(contenders)):
                    contender = contenders[(round + n) % len(contenders)]
                    took.setdefault((work, contender.name), []).append(measured(contender, work))
    results = []
    for work, its in WORKS.items():
        print(f"\n{its.what}, in µs")
        for contender in contenders:
            each = took[work, contender.name]
            row = {"rounds": len(each), "p50": quantile(each, 0.5), "p99": quantile(each, 0.99)}
            print(f"{contender.name:40} {contender.version:8} {row['rounds']:5} {row['p50']:9,} {row['p99']:9,}")
            results.append({"work": work, "contender": contender.name, "version": contender.version, **row})
    report = {"python": platform.python_version(), "cores": os.cpu_count(), "unit": "µs", "results": results}
    if given.json:
        given.json.write_text(json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    for contender in contenders:
        contender.close()


if __name__ == "__main__":
    main()
