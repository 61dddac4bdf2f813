"""What each run must have anew, and what runs do not share."""

import unittest

from guest import run


class Fresh(unittest.TestCase):
    def assert_differs(self, source):
        first, second = run(source).value, run(source).value
        self.assertNotEqual(first, second, source)

    def test_nothing_random_is_shared(self):
        for source in [
            "import random\n[random.random(), random.randint(0, 1 << 60)]",
            "from random import choice\n''.join(choice('abcdefghijklmnop') for _ in range(30))",
            "import random\nrandom.Random().random()",
            "import random\nrandom.SystemRandom().random()",
            "import uuid\nuuid.uuid4()",
            "import uuid\nuuid.uuid1().node",
            "import secrets\nsecrets.token_hex(16)",
            "import os\nos.urandom(16).hex()",
            "import os\nlen(os.urandom(200_000)), os.urandom(70_000)[-16:].hex()",
            "import tempfile\nnext(tempfile._get_candidate_names())",
            "import random\nx = list(range(50))\nrandom.shuffle(x)\nx",
            "import statistics\nstatistics.NormalDist(0, 1).samples(3)",
        ]:
            with self.subTest(source):
                self.assert_differs(source)

    def test_a_seed_of_the_script_is_heeded(self):
        source = "import random\nrandom.seed(5)\nrandom.random()"
        self.assertEqual(run(source).value, run(source).value)

    def test_runs_share_nothing(self):
        run("import json, builtins\njson.mine = builtins.mine = 5\nimport sys\nsys.modules['mine'] = json")
        source = "import json, sys\n[hasattr(json, 'mine'), 'mine' in sys.modules, 'mine' in dir(__builtins__)]"
        self.assertEqual(run(source).value, [False, False, False])

    def test_a_trivial_run_asks_the_host_nothing(self):
        for source in ["result = 1 + 1", "print(len([x for x in range(3)]))", "def f(y):\n    return y\nz = f(1)\nz"]:
            self.assertEqual(run(source).log, [], source)

    def test_the_host_is_asked_for_each_name_once(self):
        source = """
for n in range(5):
    await github.create_issue(repo=n)
    await tools.github.createIssue(repo=n)
from servers.github import create_issue
await create_issue(repo=1)
"""
        log = run(source).log
        # The fake's own `resolve` looks the server up once more.
        self.assertEqual([line for line in log if line.startswith("resolve")], ["resolve github create_issue", "resolve github createIssue"])
        self.assertEqual([line for line in log if line.startswith("parameters")], [])

    def test_progress_is_told(self):
        outcome = run("progress(0.5, 'half')\nprogress('at it')\nprogress(1)\nprogress(0, '\\ud800')")
        self.assertEqual(outcome.log, ["progress 0.5 half", "progress None at it", "progress 1 ", "progress 0 \ufffd"])
        for wrong in ["50", "-0.1", "[]", "float('nan')"]:
            self.assertIn("a fraction from 0 to 1", run(f"progress({wrong})").message)

    def test_values_are_given_to_the_person(self):
        outcome = run("emit('a', {'b': (1, None)})\nemit(None)\n5")
        self.assertEqual(outcome.log, ['emit "a"', 'emit {"b":[1,null]}', "emit null"])
        self.assertEqual(outcome.value, 5)
        self.assertIn("emit takes what the person is to see", run("emit()").message)
        self.assertIn("not awaited", run("emit(github.create_issue(repo=1))").message)

    def test_a_script_gets_a_whole_answer(self):
        for source in ["await whole(github.create_issue, repo=1)", "await whole('github.create_issue', {'repo': 1})"]:
            with self.subTest(source):
                self.assertIn('start whole create_issue {"repo":1}', run(source).log)
        for wrong in ["whole()", "whole(github.create_issue(repo=1))", "whole(5)"]:
            self.assertIn("whole takes a tool", run(wrong).message)

    def test_what_is_cancelled_ends_at_the_host(self):
        for source in [
            "import asyncio\ntask = asyncio.create_task(github.wait(1))\nawait asyncio.sleep(0)\ntask.cancel()\nawait asyncio.wait([task])",
            "import asyncio\ntask = asyncio.ensure_future(github.wait(1))\ntask.cancel()",
            "import asyncio\ntry:\n    await asyncio.wait_for(github.wait(1), 0.001)\nexcept TimeoutError:\n    pass",
            "import asyncio\nasync def one():\n    await github.wait(1)\ntask = asyncio.create_task(one())\nawait asyncio.sleep(0.001)",
        ]:
            with self.subTest(source):
                outcome = run(source)
                self.assertEqual(outcome.ended[0], "ok", outcome.ended)
                self.assertIn("cancel 1", outcome.log)
                self.assertLess(outcome.elapsed, 2_000_000)


if __name__ == "__main__":
    unittest.main()
