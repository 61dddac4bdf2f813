"""Tries a few scripts before the snapshot, so that what the interpreter learns from code that it runs is in it: instructions that were made
for the types that they meet, caches of attributes, memory that is needed once.

The interpreter writes into code that it runs: it counts, and notes which way a branch went. A run's copy of such pages costs time, so the
code of all functions that the scripts call is put into one place first, that which most of them call before the rest. Nothing else of the
scripts is left.
"""

from .own import __builtins__

import gc
import sys
from collections import Counter
from types import CodeType, FunctionType

from .checks import FIRST
from .forget import forget
from .loop import in_place
from .run import run

SCRIPTS = (
    "print(1)",
    "import json, re, math\nprint('a', end='')\nresult = {'a': [1, 2.5, None, 'b'], 'c': sum(x for x in range(3))}",
    "async def main():\n    value = await tools.echo.echo({'rows': [{'a': 1, 'b': 'x'}]})\n    return [row.a for row in value.rows]\n\nawait main()",
    "import asyncio\nasync def one(number):\n    await asyncio.sleep(0)\n    return await tools.echo.echo(number=number)\n\nawait asyncio.gather(*(one(n) for n in range(4)))",
    "def parse(text):\n    return int(text)\n\nparse('a')",
    "return {'a': 1}",
    "class A:\n    def __init__(self, x):\n        self.x = x\n\nfor i in range(3):\n    a = A(i)\nf'{a.x:.2f} {a!r}'.split()",
    "1 + 1",
    "result = 1 + 1",
)

# How often each runs. A branch that always goes one way leaves no trace any more when it was taken 16 times.
TIMES = 20


# What holds the state of modules.
CONTAINERS = (dict, list, set)

# The modules that there are without the scripts.
modules = set()


def callers():
    """How many of the scripts call which code."""
    modules.update(sys.modules)
    found = Counter()
    for script in SCRIPTS:
        found.update(called_by(script))
    forget(modules)
    return found


def gather(callers):
    """Brings together what runs write to."""
    # First: code that is let go of leaves holes.
    gather_state()
    gather_code(callers)
    callers.clear()


def up():
    """Runs the scripts often enough, and puts things back."""
    for _ in range(TIMES):
        for script in SCRIPTS:
            try_out(script)
    forget(modules)


def try_out(script):
    in_place(run("script.py", script, [], "", FIRST))


def called_by(script):
    """The code of all functions that a script calls."""
    called = set()
    sys.setprofile(lambda frame, event, _: called.add(frame.f_code) if event == "call" else None)
    try_out(script)
    sys.setprofile(None)
    return called


def gather_code(callers):
    """Gives functions a copy of their code, one behind the other in memory: those whose code has callers, and the more of them the earlier."""
    functions = [found for found in gc.get_objects() if type(found) is FunctionType and found.__code__ in callers]
    functions.sort(key=lambda function: -callers[function.__code__])
    for function in functions:
        function.__code__ = copy(function.__code__)


def gather_state():
    """Makes the empty containers anew that the guest's modules have, one behind the other in memory: each run fills some."""
    spaces = [vars(module) for name, module in sys.modules.items() if name.startswith(__package__)]
    names = {}
    for space in spaces:
        for name, value in space.items():
            if type(value) in CONTAINERS and not value:
                names.setdefault(id(value), []).append((space, name))
    for named in names.values():
        space, name = named[0]
        # What something else holds too stays the one that it holds.
        if all(any(holder is space for space in spaces) for holder in gc.get_referrers(space[name])):
            new = type(space[name])()
            for space, name in named:
                space[name] = new


def copy(code):
    """A copy of code, and of the code in it."""
    constants = tuple(copy(constant) if type(constant) is CodeType else constant for constant in code.co_consts)
    return code.replace(co_consts=constants)
