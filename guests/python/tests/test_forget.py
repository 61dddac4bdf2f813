"""Scripts that run before the snapshot leave nothing behind."""

import subprocess
import sys
import unittest

from guest import LIBRARY, TESTS

# Runs in a process of its own, one script after the other.
PROGRAM = """
import sys
sys.path[:0] = {paths!r}
import os
pipe = os.dup(1)
import _ampoule
import ampoule_guest
from ampoule_guest.forget import forget
from ampoule_guest.loop import in_place

def run(*program):
    return in_place(ampoule_guest.run(*program))

modules = set(sys.modules)
first = "import asyncio, colorsys, utils\\nenv.x\\ntasks = [asyncio.create_task(asyncio.sleep(9))]\\nprint('a', end='')\\n" \\
    "x = google_drive.fail()\\ny = await mcp_github.get_issue(1)\\nfrom servers.github import rows\\nopen('t.txt')\\n1"
ended = run("first.py", first, [("utils.py", "source", "y = 1"), ("t.txt", "text", "")], '{{"x":1}}')
assert ended == ("ok", "1"), ended
forget(modules)
assert "colorsys" not in sys.modules and "utils" not in sys.modules
_ampoule.log.clear()
_ampoule.output.clear()
# The host of the run has other numbers for its tools.
_ampoule.TOOLS.reverse()
ended = run("second.py", "import asyncio\\nn = len(asyncio.all_tasks())\\n[n, (await mcp_github.get_issue(1)).title]", [], "")
assert ended == ("ok", '[1,"Bug"]'), ended
assert "resolve github get_issue" in _ampoule.log, _ampoule.log
assert _ampoule.output == [], _ampoule.output
for source in ["import utils", "env['x']", "open('t.txt')"]:
    ended = run("third.py", source, [], "")
    assert ended[0] == "thrown", source
os.write(pipe, b"forgotten")
"""


class Forget(unittest.TestCase):
    def test_nothing_is_left(self):
        program = PROGRAM.format(paths=[str(TESTS), str(LIBRARY)])
        ended = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.stdout, "forgotten", ended.stderr)


if __name__ == "__main__":
    unittest.main()
