"""Runs tests of numpy or pandas: the modules `env["modules"]`, without the tests `env["left_out"]`. Gives what came of them."""

import importlib
import inspect
import sys
import types

import pytest
from running import Collector


def without_hypothesis():
    """Tests with data that hypothesis makes are skipped: it is not there, and what it makes is at random."""

    def given(*_, **__):
        def skipped(function):
            def test():
                pytest.skip("it is for hypothesis")

            def method(self):
                pytest.skip("it is for hypothesis")

            return method if "." in function.__qualname__ and "<locals>" not in function.__qualname__ else test

        return skipped

    class Anything:
        def __getattr__(self, name):
            return Anything() if not name.startswith("__") else object.__getattribute__(self, name)

        def __call__(self, *args, **kwargs):
            return args[0] if len(args) == 1 and inspect.isfunction(args[0]) else Anything()

        def __or__(self, other):
            return self

        def __iter__(self):
            return iter(())

    names = ("hypothesis", "hypothesis.strategies", "hypothesis.extra", "hypothesis.extra.numpy", "hypothesis.extra.dateutil", "hypothesis.extra.pytz")
    for name in names:
        module = sys.modules[name] = types.ModuleType(name)
        module.__getattr__ = lambda name: Anything() if not name.startswith("__") else None
        module.__path__ = []
    sys.modules["hypothesis"].given = given
    sys.modules["hypothesis"].strategies = sys.modules["hypothesis.strategies"]


def is_left_out(name):
    return any(name == one or name.startswith((f"{one}[", f"{one}::")) for one in env["left_out"])


def run():
    """Runs the tests, and gives what came of them."""
    came = {"passed": 0, "expected": 0, "failed": {}, "skipped": {}}
    shared = {}
    for module in env["modules"]:
        try:
            collector = Collector(importlib.import_module(module), shared)
            items = collector.items()
        except pytest.skip.Exception as skipped:
            came["skipped"][str(skipped)] = came["skipped"].get(str(skipped), 0) + 1
            continue
        for item in items:
            if is_left_out(item.id):
                continue
            # Where the run ends in the middle, its output tells in which test.
            print(item.id)
            how, said = item.run()
            if how == "passed":
                came["passed"] += 1
            elif how == pytest.EXPECTED:
                came["expected"] += 1
            elif how == pytest.SKIPPED:
                came["skipped"][said] = came["skipped"].get(said, 0) + 1
            else:
                came["failed"][item.id] = said
    return came


without_hypothesis()
return run()
