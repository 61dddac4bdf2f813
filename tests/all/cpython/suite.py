"""Runs tests of CPython's own: the modules `env["modules"]`, without the tests `env["left_out"]`. Gives what came of them."""

import io
import sys
import sysconfig
import tempfile
import types
import unittest

# How the guest's CPython was configured, in a quoting that `test.support` can't take apart when it looks for sanitizers. There are none.
sysconfig.get_config_vars()["CONFIG_ARGS"] = ""

from test import support

# As where CPython's own runner is told of nothing that a test may use up: hours, gigabytes, a network.
support.use_resources = {}

# What follows stands for what an isolate does not have. Modules of tests would not load without it, or none of a module's tests would get as far
# as what it is about. Nothing stands for what is tested.

# Modules of tests of event loops skip themselves where there are no sockets, and few of their tests use one.
support.has_socket_support = True

# Helpers of these modules derive servers from these when they are loaded. No test of the suites starts one.
SERVERS = {
    "socketserver": ["ThreadingMixIn", "UnixStreamServer"],
    "http.server": ["HTTPServer"],
    "wsgiref.simple_server": ["WSGIRequestHandler", "WSGIServer"],
}
for name, classes in SERVERS.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update({kind: type(kind, (), {}) for kind in classes})


def temporary_file(mode="w+b", buffering=-1, encoding=None, newline=None, **where):
    """A file in memory. Every test of what `csv` writes begins with a temporary file, and reads it again."""
    raw = io.BytesIO()
    return raw if "b" in mode else io.TextIOWrapper(raw, encoding, newline=newline)


tempfile.TemporaryFile = temporary_file


class Results(unittest.TestResult):
    """What came of each test, by its name."""

    def __init__(self):
        super().__init__()
        self.passed = 0
        self.failed = {}
        self.skips = {}

    def startTest(self, test):
        super().startTest(test)
        # Where the run ends in the middle, its output tells in which test.
        print(test.id())

    def addSuccess(self, test):
        self.passed += test.id() not in self.failed

    def addExpectedFailure(self, test, error):
        self.passed += 1

    def addUnexpectedSuccess(self, test):
        self.failed[test.id()] = "it succeeds, where it is said to fail"

    def addFailure(self, test, error):
        self.failed[test.id()] = said(error[1])

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.failed.setdefault(test.id(), f"{subtest._subDescription()}: {said(error[1])}")

    def addSkip(self, test, reason):
        self.skips[test.id()] = reason


def said(error):
    return f"{type(error).__name__}: {error}"[:300]


def tests_of(suite):
    """The tests in a suite, and in those in it."""
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def is_left_out(test):
    return any(test.id() == name or test.id().startswith(f"{name}.") for name in env["left_out"])


def chosen(suite):
    """The suite without what is left out; its structure stays, as classes and modules are set up by it."""
    if not isinstance(suite, unittest.TestSuite):
        return suite
    return type(suite)(chosen(test) for test in suite if isinstance(test, unittest.TestSuite) or not is_left_out(test))


def try_the_guest_itself():
    """`test_json` tries a copy of `json` that it makes, without what the guest has put into that of scripts."""
    import json

    from test.test_json import CTest

    CTest.json, CTest.loads, CTest.dumps = json, staticmethod(json.loads), staticmethod(json.dumps)


if any(name.startswith("test.test_json") for name in env["modules"]):
    try_the_guest_itself()

results = Results()
for name in env["modules"]:
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName(name)
    except unittest.SkipTest as skip:
        results.skips[name] = str(skip)
        continue
    chosen(suite).run(results)

return {"passed": results.passed, "failed": results.failed, "skipped": results.skips}
