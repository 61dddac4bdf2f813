"""Collects tests as pytest does, and runs them. `pytest.py` stands for pytest; the names of tests are those that pytest gives."""

import functools
import importlib
import inspect
import io
import itertools
import sys
import types
import unittest
import warnings

import pytest
from pytest import Failed, Fixture, Parameters, Skipped, XFailed, marks_of

# Scopes of fixtures that outlast a test.
SCOPES = ("class", "module", "package", "session")


class Config:
    """What conftest asks of the command line."""

    def getoption(self, name, default=None):
        return default if default is not None else False

    def getini(self, name):
        return []

    def addinivalue_line(self, *_):
        pass


class Node:
    """A test, as fixtures see it."""

    def __init__(self, item):
        self.item, self.name, self.nodeid, self.keywords, self.config = item, item.name, item.id, {}, Config()
        self.keywords.update({mark.name: mark for mark in item.marks})

    def iter_markers(self, name=None):
        return (mark for mark in self.item.marks if name in (None, mark.name))

    def get_closest_marker(self, name, default=None):
        return next(self.iter_markers(name), default)

    def add_marker(self, mark, append=True):
        self.item.marks.append(getattr(mark, "mark", mark))


class Request:
    """What a fixture may ask for."""

    config = Config()

    def __init__(self, item, param=None, has_param=False, definition=None, level=0):
        self.item, self.node, self.definition, self.level = item, item.node, definition, level
        self.function, self.cls, self.instance, self.module = item.function, item.cls, item.instance, item.module
        self.fixturename = definition and definition.name
        self.fixturenames = list(item.values)
        if has_param:
            self.param = param

    def getfixturevalue(self, name):
        # A fixture that asks for its own name means the one that it takes the place of.
        return self.item.value(name, self.level + 1 if self.definition and self.definition.name == name else 0)

    def addfinalizer(self, finalizer):
        self.item.finalizers.append(finalizer)

    def applymarker(self, mark):
        self.node.add_marker(mark)


BUILT_IN = {}


def built_in(function):
    BUILT_IN[function.__name__] = Fixture(function)


@built_in
def request():
    raise AssertionError("it is made for each fixture")


@built_in
def monkeypatch():
    patch = pytest.MonkeyPatch()
    yield patch
    patch.undo()


@built_in
def recwarn():
    with pytest.Recorder() as recorder:
        yield recorder


@built_in
def capsys():
    kept = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = io.StringIO(), io.StringIO()

    class Captured:
        def readouterr(self):
            texts = types.SimpleNamespace(out=sys.stdout.getvalue(), err=sys.stderr.getvalue())
            sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
            return texts

    yield Captured()
    sys.stdout, sys.stderr = kept


@built_in
def doctest_namespace():
    return {}


def needs_files():
    pytest.skip("it needs files")


for _name in ("tmp_path", "tmpdir", "tmp_path_factory", "tmpdir_factory"):
    BUILT_IN[_name] = Fixture(needs_files, name=_name)
BUILT_IN["capfd"] = Fixture(BUILT_IN["capsys"].function, name="capfd")


def name_of(value, argument, at):
    """What pytest calls a parameter."""
    if isinstance(value, (str, bytes)):
        text = value.encode("unicode_escape").decode("ascii") if isinstance(value, str) else value.decode("ascii", "backslashreplace")
        return text
    if value is None or isinstance(value, (float, int, bool, complex)):
        return str(value)
    if isinstance(getattr(value, "__name__", None), str):
        return value.__name__
    return f"{argument}{at}"


def choices(argnames, argvalues, ids=None):
    """The values of parameters that are tried, with marks and a name each."""
    found = []
    for at, values in enumerate(argvalues):
        marks, given = (values.marks, values.id) if isinstance(values, Parameters) else ([], None)
        if not isinstance(values, Parameters):
            values = (values,) if len(argnames) == 1 else tuple(values)
        elif len(argnames) == 1:
            values = values[:1]
        if given is None and ids is not None:
            given = ids(values[0]) if callable(ids) and len(values) == 1 else list(ids)[at] if not callable(ids) else None
        name = given if given is not None else "-".join(name_of(value, argument, at) for argument, value in zip(argnames, values))
        found.append((dict(zip(argnames, values)), marks, str(name)))
    return once_each(found)


def once_each(found):
    """The same with a number behind names that several have, as pytest numbers them."""
    names = [name for *_, name in found]
    counts, numbered = {name: 0 for name in names if names.count(name) > 1}, []
    for values, marks, name in found:
        if name in counts:
            number, counts[name] = counts[name], counts[name] + 1
            name += f"_{number}" if name[-1:].isdigit() else str(number)
        numbered.append((values, marks, name))
    return numbered


@functools.cache
def parameters_of(function):
    """What a function takes."""
    try:
        return tuple(inspect.signature(function, follow_wrapped=True).parameters.values())
    except (TypeError, ValueError):
        return ()


@functools.cache
def arguments_of(function):
    """The names of what a function takes from fixtures: what has no default."""
    plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = [one.name for one in parameters_of(function) if one.kind in plain and one.default is one.empty]
    return tuple(name for name in names if name not in ("self", "cls"))


class Collector:
    """The tests of one module, with the fixtures that they see."""

    def __init__(self, module, shared):
        self.module, self.cache, self.shared = module, {}, shared
        # From the nearest to the farthest.
        packages = module.__name__.split(".")
        places = [module]
        for end in range(len(packages) - 1, 0, -1):
            conftest = self.conftest(".".join(packages[:end]) + ".conftest")
            places += [conftest] if conftest else []
        self.places = [self.fixtures(vars(place)) for place in places] + [BUILT_IN]
        self.marks = marks_of(getattr(module, "pytestmark", ()))

    def conftest(self, name):
        if name not in self.shared:
            try:
                self.shared[name] = importlib.import_module(name)
            except ModuleNotFoundError as error:
                if error.name != name:
                    raise
                self.shared[name] = None
        return self.shared[name]

    @staticmethod
    def fixtures(names):
        return {value.name if value.name != value.function.__name__ else name: value for name, value in names.items() if isinstance(value, Fixture)}

    def items(self):
        for name, value in list(vars(self.module).items()):
            if name.startswith("test") and callable(value) and not inspect.isclass(value):
                yield from self.of_function(name, value, None)
            elif inspect.isclass(value) and issubclass(value, unittest.TestCase):
                for test in unittest.defaultTestLoader.getTestCaseNames(value):
                    yield from self.of_function(test, getattr(value, test), value)
            elif inspect.isclass(value) and name.startswith("Test") and "__init__" not in vars(value):
                yield from self.of_class(value)

    def of_class(self, kind):
        seen = {}
        for base in reversed(kind.__mro__):
            seen.update(vars(base))
        for name, value in seen.items():
            if name.startswith("test") and callable(value):
                yield from self.of_function(name, value, kind)

    def of_function(self, name, function, kind):
        inner = getattr(function, "__func__", function)
        marks = marks_of(getattr(inner, "pytestmark", ()))
        for base in kind.__mro__ if kind else ():
            marks += marks_of(vars(base).get("pytestmark", ()))
        marks += self.marks
        places = [self.fixtures({n: v for base in reversed(kind.__mro__) for n, v in vars(base).items()})] if kind else []
        places += self.places
        direct, indirect, tried = set(), set(), []
        for mark in marks:
            if mark.name == "parametrize":
                argnames = mark.args[0] if mark.args else mark.kwargs["argnames"]
                argvalues = mark.args[1] if len(mark.args) > 1 else mark.kwargs["argvalues"]
                argnames = [one.strip() for one in argnames.split(",") if one.strip()] if isinstance(argnames, str) else list(argnames)
                through = mark.kwargs.get("indirect", False)
                indirect.update(argnames if through is True else through or ())
                direct.update(argnames)
                ids = mark.kwargs.get("ids", mark.args[3] if len(mark.args) > 3 else None)
                tried.append(choices(argnames, argvalues, ids))
        wanted = list(arguments_of(inner))
        wanted += [one for mark in marks if mark.name == "usefixtures" for one in mark.args]
        automatic = [fixture.name for place in reversed(places) for fixture in place.values() if fixture.autouse]
        seen, queue = [], automatic + wanted
        while queue:
            one = queue.pop(0)
            if one in seen or (one in direct and one not in indirect):
                continue
            seen.append(one)
            found = [place[one] for place in places if one in place]
            if found:
                queue += arguments_of(found[0].function)
                if found[0].params is not None and one not in indirect:
                    tried.append([({one: values[one]}, marks_, name_) for values, marks_, name_ in choices([one], found[0].params, found[0].ids)])
                    indirect.add(one)
        # The mark nearest to the function is the first part of the name.
        for chosen in itertools.product(*tried):
            values, more = {}, []
            for of, marks_, _ in chosen:
                values.update(of)
                more += marks_
            parts = "-".join(name_ for *_, name_ in chosen)
            full = f"{name}[{parts}]" if chosen else name
            yield Item(self, full, inner, kind, more + marks, places, values, indirect, wanted, automatic)


class Item:
    """One test."""

    def __init__(self, collector, name, function, kind, marks, places, params, indirect, wanted, automatic):
        self.collector, self.module, self.name, self.function, self.cls = collector, collector.module, name, function, kind
        self.marks, self.places, self.params, self.indirect = list(marks), places, params, indirect
        self.wanted, self.automatic = wanted, automatic
        self.id = "::".join(filter(None, (self.module.__name__, kind and kind.__name__, name)))
        self.values, self.finalizers, self.instance = {}, [], None
        self.node = Node(self)

    def value(self, name, level=0):
        """The value of a fixture, or of a parameter."""
        if level == 0 and name in self.params and name not in self.indirect:
            return self.params[name]
        if (name, level) not in self.values:
            self.values[name, level] = self.made(name, level)
        return self.values[name, level]

    def made(self, name, level):
        found = [place[name] for place in self.places if name in place]
        if len(found) <= level:
            raise AssertionError(f"there is no fixture {name!r}")
        definition = found[level]
        has_param = name in self.params and definition.params is not None or name in self.indirect
        param = self.params.get(name)
        lasts = definition.scope in SCOPES
        key = (definition, repr(param), self.cls if definition.scope == "class" else None)
        if lasts and key in self.collector.cache:
            return self.collector.cache[key]
        asked = Request(self, param, has_param, definition, level)
        needs = {}
        for one in arguments_of(definition.function):
            needs[one] = asked if one == "request" else asked.getfixturevalue(one)
        function = definition.function
        if any(one.name == "self" for one in parameters_of(function)):
            function = function.__get__(self.instance)
        made = function(**needs)
        if inspect.isgenerator(made):
            generator, made = made, next(made)
            finish = lambda: next(generator, None)
            (self.collector.shared.setdefault("finish", []) if lasts else self.finalizers).append(finish)
        if lasts:
            self.collector.cache[key] = made
        return made

    def run(self):
        """Runs it, and gives how it ended, and with what words."""
        expected = None
        with warnings.catch_warnings():
            warnings.resetwarnings()
            warnings.filterwarnings("always", category=DeprecationWarning)
            warnings.filterwarnings("always", category=PendingDeprecationWarning)
            try:
                for mark in self.marks:
                    if mark.name == "skip":
                        raise Skipped(mark.kwargs.get("reason", mark.args[0] if mark.args else ""))
                    if mark.name == "skipif" and any(self.holds(one) for one in mark.args or [mark.kwargs.get("condition")]):
                        raise Skipped(mark.kwargs.get("reason", ""))
                    if mark.name in ("slow", "network", "db", "single_cpu", "thread_unsafe") and mark.name in ("network", "db"):
                        raise Skipped(f"it needs what {mark.name} says")
                for mark in reversed(self.marks):
                    if mark.name == "filterwarnings":
                        for text in mark.args:
                            set_filter(text)
                self.call()
                error = None
            except BaseException as caught:
                error = caught
            try:
                for finish in reversed(self.finalizers):
                    finish()
            except Exception as caught:
                error = error or caught
        marks = [mark for mark in self.marks if mark.name == "xfail" and (not mark.args or any(self.holds(one) for one in mark.args))]
        marks = [mark for mark in marks if self.holds(mark.kwargs.get("condition", True))]
        if isinstance(error, Skipped):
            return pytest.SKIPPED, str(error)
        if isinstance(error, XFailed):
            return pytest.EXPECTED, str(error)
        if error is not None and any(isinstance(error, mark.kwargs.get("raises") or BaseException) for mark in marks):
            return pytest.EXPECTED, ""
        if error is None and any(mark.kwargs.get("strict") for mark in marks):
            return pytest.FAILED, "it passes, where it is said to fail"
        if error is None:
            return "passed", ""
        if not isinstance(error, (Exception, Failed)):
            raise error
        return pytest.FAILED, f"{type(error).__name__}: {error}"[:400]

    def holds(self, condition):
        return bool(eval(condition, vars(self.module))) if isinstance(condition, str) else bool(condition)

    def call(self):
        if self.cls is not None:
            set_up = getattr(self.cls, "setup_class", None)
            if set_up and self.cls not in self.collector.cache:
                self.collector.cache[self.cls] = True
                set_up()
            if issubclass(self.cls, unittest.TestCase):
                self.instance = self.cls(self.name.partition("[")[0])
                self.finalizers.append(self.instance.doCleanups)
            else:
                self.instance = self.cls()
        before, after = ("setUp", "tearDown") if isinstance(self.instance, unittest.TestCase) else ("setup_method", "teardown_method")
        if self.instance is None:
            before, after = "setup_function", "teardown_function"
        owner = self.instance if self.instance is not None else self.module
        for name in self.automatic:
            self.value(name)
        needs = {name: Request(self) if name == "request" else self.value(name) for name in self.wanted}
        needs = {name: value for name, value in needs.items() if name in arguments_of(self.function)}
        if hasattr(owner, before):
            set_up = getattr(owner, before)
            set_up(self.function) if arguments_of(set_up) else set_up()
        try:
            if isinstance(vars(self.cls or object).get(self.function.__name__), staticmethod) or self.instance is None:
                self.function(**needs)
            else:
                self.function(self.instance, **needs)
        finally:
            if hasattr(owner, after):
                tear_down = getattr(owner, after)
                tear_down(self.function) if arguments_of(tear_down) else tear_down()


def set_filter(text):
    """A filter of warnings as pytest has it: `action:message:category:module:line`."""
    action, message, category, *_ = text.split(":") + [""] * 3
    kind = pytest.resolved(category if "." in category else f"builtins.{category}") if category else Warning
    warnings.filterwarnings(action, message, kind)
