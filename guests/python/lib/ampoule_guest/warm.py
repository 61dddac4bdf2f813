"""Runs a few scripts before the snapshot. What the interpreter learns from code that it runs is in the snapshot then: instructions that were
made for the types that they meet, caches of attributes, memory that is needed once. Nothing else of the scripts may be left."""

from .own import __builtins__

import gc
import sys

from . import calls, output, places
from .loop import loop
from .run import run

SCRIPTS = (
    "1 + 1",
    "result = 1 + 1",
    "print(1)",
    "import json, re, math\nprint('a', end='')\nresult = {'a': [1, 2.5, None, 'b'], 'c': sum(x for x in range(3))}",
    "async def main():\n    value = await tools.echo.echo({'rows': [{'a': 1, 'b': 'x'}]})\n    return [row.a for row in value.rows]\n\nawait main()",
    "import asyncio\nasync def one(number):\n    await asyncio.sleep(0)\n    return await tools.echo.echo(number=number)\n\nawait asyncio.gather(*(one(n) for n in range(4)))",
    "def parse(text):\n    return int(text)\n\nparse('a')",
    "return {'a': 1}",
    "class A:\n    def __init__(self, x):\n        self.x = x\n\nfor i in range(3):\n    a = A(i)\nf'{a.x:.2f} {a!r}'.split()",
)

# How often each runs: instructions are adapted when they have run a few times.
TIMES = 12


def up():
    """Runs them, and puts things back."""
    modules = set(sys.modules)
    for _ in range(TIMES):
        for script in SCRIPTS:
            run("script.py", script, [], "")
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    places.sources.clear()
    places._lines.clear()
    assert not calls.pending and not calls.failed
    loop._made.clear()
    gc.collect()
