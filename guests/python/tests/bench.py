"""What a run costs natively: `python3 -I bench.py [words of the programs' names]`. Each program runs many times in one process."""

import sys
from pathlib import Path
from time import perf_counter_ns

TESTS = Path(__file__).parent
sys.path[:0] = [str(TESTS), str(TESTS.parent / "lib")]
write = sys.stdout.write

import _ampoule
import ampoule_guest
from ampoule_guest.loop import in_place

PROGRAMS = {
    "trivial": "result = 1 + 1",
    "expression": "1 + 1",
    "return": "return 1 + 1",
    "async": "import asyncio\nawait asyncio.sleep(0)\n1 + 1",
    "print": "for n in range(1000): print('line', n)",
    "calls, one after the other": "for n in range(1000): await github.create_issue(repo='a', title=n)",
    "calls, gathered": "import asyncio\nawait asyncio.gather(*[github.create_issue(repo='a', title=n) for n in range(1000)])\n1",
    "calls, in tasks": (
        "import asyncio\nasync def one(n):\n    return await github.create_issue(repo='a', title=n)\n"
        "await asyncio.gather(*map(one, range(1000)))\n1"
    ),
    "300 lines": "\n".join(f"def f{n}(a, b=1):\n    c = len(str(a)) + b\n    return [c, {n}]" for n in range(100)) + "\nf1(2)",
    "rows": "rows = await github.rows()\nlen(rows) + sum(row.price for row in rows)",
}


def once(source):
    start = perf_counter_ns()
    ended = in_place(ampoule_guest.run("main.py", source, [], ""))
    end = perf_counter_ns()
    assert ended[0] == "ok", ended
    _ampoule.output.clear()
    _ampoule.log.clear()
    return end - start


for name, source in PROGRAMS.items():
    if all(word in name for word in sys.argv[1:]):
        times = sorted(once(source) for _ in range(300 if len(source) < 50 else 30))
        write(f"{name:30} first third {times[len(times) // 3] / 1000:9.1f} us, median {times[len(times) // 2] / 1000:9.1f} us\n")
