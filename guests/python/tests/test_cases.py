"""Programs and what becomes of them: each file in `cases` is about one thing.

A case has a `source`, and of these what matters: `value` (as JSON; "none" for no value), `throws` with `name`, `says` (parts of the
message), `line`, `column`, `stack` (parts) and `causes`; `output` (the texts written), `levels`, `started` (calls), `elapsed` (the host's
milliseconds) and `modules`, `env`, `strings`.

`tests/all/python_cases` runs the same cases in isolates, except those with `native_only`, which says why;
here those with `isolated_only` are left out.
"""

import json
import tomllib
import unittest

from guest import TESTS, run


class Cases(unittest.TestCase):
    """One test a file."""

    maxDiff = None

    def check(self, case):
        outcome = run(case["source"], case.get("file", "main.py"), case.get("modules", []), case.get("env", ""), case.get("strings", ""))
        if "throws" in case:
            self.check_thrown(outcome, case["throws"])
        else:
            self.assertEqual(outcome.ended[0], "ok", outcome.ended)
        if "value" in case:
            text = outcome.ended[1]
            if case["value"] == "none":
                self.assertIsNone(text)
            else:
                self.assertIsNotNone(text)
                self.assertEqual(json.loads(text), json.loads(case["value"]))
        if "output" in case:
            self.assertEqual(outcome.lines(), case["output"])
        for part in case.get("writes", []):
            self.assertIn(part, "\n".join(outcome.lines()))
        if "levels" in case:
            self.assertEqual([level for level, _ in outcome.output], case["levels"])
        if "started" in case:
            self.assertEqual(outcome.started, case["started"])
        if "elapsed" in case:
            self.assertEqual(round(outcome.elapsed / 1e6), case["elapsed"])

    def check_thrown(self, outcome, expected):
        self.assertEqual(outcome.ended[0], "thrown", outcome.ended)
        if "name" in expected:
            self.assertEqual(outcome.name, expected["name"], outcome.ended)
        for part in expected.get("says", []):
            self.assertIn(part, outcome.message)
        if "message" in expected:
            self.assertEqual(outcome.message, expected["message"])
        if "line" in expected:
            self.assertIsNotNone(outcome.location, outcome.ended)
            self.assertEqual(outcome.location[1], expected["line"], outcome.ended)
        if "module" in expected:
            self.assertEqual(outcome.location[0], expected["module"], outcome.ended)
        if "column" in expected:
            self.assertEqual(outcome.location[2], expected["column"], outcome.ended)
        if "text" in expected:
            self.assertEqual(outcome.location[3], expected["text"])
        for part in expected.get("stack", []):
            self.assertIn(part, outcome.stack)
        if "causes" in expected:
            self.assertEqual(outcome.causes, expected["causes"])


def add(path):
    cases = tomllib.loads(path.read_text(encoding="utf-8"))["case"]

    def test(self):
        for number, case in enumerate(cases, 1):
            if "isolated_only" in case:
                continue
            with self.subTest(path.stem, number=number, source=case["source"][:200]):
                self.check(case)

    setattr(Cases, f"test_{path.stem}", test)


for path in sorted((TESTS / "cases").glob("*.toml")):
    add(path)


if __name__ == "__main__":
    unittest.main()
