"""What the tests of numpy and pandas use of pytest, for runs in which there are no files. `suite.py` collects and runs."""

import contextlib
import functools
import inspect
import math
import re
import sys
import types
import warnings

SKIPPED, FAILED, EXPECTED = "skipped", "failed", "expected to fail"


class Outcome(BaseException):
    """Ends a test with what it says."""

    def __init__(self, msg="", **_):
        super().__init__(msg)
        self.msg = msg


class Skipped(Outcome):
    pass


class Failed(Outcome):
    pass


class XFailed(Outcome):
    pass


def ending(kind):
    def end(reason="", *, allow_module_level=False, pytrace=True, msg=None):
        raise kind(reason or msg or "")

    end.Exception = kind
    return end


skip, fail, xfail = ending(Skipped), ending(Failed), ending(XFailed)
exit = fail


def importorskip(modname, minversion=None, reason=None, exc_type=ImportError):
    try:
        __import__(modname)
    except exc_type as error:
        raise Skipped(reason or f"could not import {modname!r}: {error}") from None
    return sys.modules[modname]


class Mark:
    """A mark: its name, and what it was called with."""

    def __init__(self, name, args=(), kwargs=None):
        self.name, self.args, self.kwargs = name, args, kwargs or {}

    @property
    def mark(self):
        return self

    def with_args(self, *args, **kwargs):
        return Mark(self.name, self.args + args, {**self.kwargs, **kwargs})

    def __call__(self, *args, **kwargs):
        if len(args) == 1 and not kwargs and (inspect.isclass(args[0]) or inspect.isfunction(args[0])):
            target = args[0]
            # A class does not add to the list of the class that it is derived from. The nearest mark is the first.
            target.pytestmark = [*marks_of(vars(target).get("pytestmark", ())), self]
            return target
        return self.with_args(*args, **kwargs)


def marks_of(marks):
    """Marks as a list, whatever they are kept as."""
    return [one.mark for one in (marks if isinstance(marks, (list, tuple)) else [marks])]


class Marks:
    def __getattr__(self, name):
        return Mark(name)


mark = Marks()


class Parameters(tuple):
    """Values of a test's parameters, with marks and a name."""


def param(*values, marks=(), id=None):
    parameters = Parameters(values)
    parameters.marks, parameters.id = marks_of(marks), id
    return parameters


class Fixture:
    """A function that makes what tests get as arguments."""

    def __init__(self, function, scope="function", params=None, autouse=False, ids=None, name=None):
        self.function, self.scope, self.autouse, self.ids = function, scope, autouse, ids
        self.params = None if params is None else list(params)
        self.name = name or function.__name__
        functools.update_wrapper(self, function)

    def __get__(self, instance, owner=None):
        return self

    def __call__(self, *args, **kwargs):
        raise Failed(f"the fixture {self.name} is called directly")


def fixture(function=None, **kwargs):
    if function is None:
        return lambda made: Fixture(made, **kwargs)
    return Fixture(function, **kwargs)


class ExceptionInfo:
    """What was raised."""

    value = None

    @property
    def type(self):
        return type(self.value)

    @property
    def typename(self):
        return self.type.__name__

    @property
    def tb(self):
        return self.value.__traceback__

    def match(self, pattern):
        assert re.search(pattern, str(self.value)), f"{pattern!r} does not match {str(self.value)!r}"
        return True

    def exconly(self):
        return f"{self.typename}: {self.value}"

    def __str__(self):
        return repr(self.value)


class Raises:
    def __init__(self, expected, match=None, check=None):
        self.expected, self.pattern, self.check, self.info = expected, match, check, ExceptionInfo()

    def __enter__(self):
        return self.info

    def __exit__(self, kind, error, trace):
        if kind is None:
            raise Failed(f"DID NOT RAISE {self.expected!r}")
        if not issubclass(kind, self.expected):
            return False
        self.info.value = error
        if self.pattern is not None:
            notes = "\n".join([str(error), *getattr(error, "__notes__", ())])
            assert re.search(self.pattern, notes), f"{self.pattern!r} does not match {notes!r}"
        assert self.check is None or self.check(error)
        return True


def raises(expected, *args, match=None, check=None, **kwargs):
    if not args:
        return Raises(expected, match, check)
    with Raises(expected) as info:
        args[0](*args[1:], **kwargs)
    return info


class Recorder(warnings.catch_warnings):
    """Keeps warnings."""

    def __init__(self):
        super().__init__(record=True)

    def __enter__(self):
        self.list = super().__enter__()
        warnings.simplefilter("always")
        return self

    def __iter__(self):
        return iter(self.list)

    def __len__(self):
        return len(self.list)

    def __getitem__(self, at):
        return self.list[at]

    def pop(self, category=Warning):
        for at, one in enumerate(self.list):
            if issubclass(one.category, category):
                return self.list.pop(at)
        raise AssertionError(f"{category!r} was not warned of")

    def clear(self):
        self.list.clear()


class Warns(Recorder):
    def __init__(self, expected, pattern=None):
        super().__init__()
        self.expected, self.pattern = expected, pattern

    def is_expected(self, one):
        return issubclass(one.category, self.expected) and (self.pattern is None or re.search(self.pattern, str(one.message)))

    def __exit__(self, kind, error, trace):
        super().__exit__(kind, error, trace)
        if kind is not None and issubclass(kind, (Exception, Failed)) and kind is not None:
            return
        if kind is not None:
            return
        if not any(self.is_expected(one) for one in self.list):
            raise Failed(f"DID NOT WARN {self.expected!r} {self.pattern!r}: {[str(one.message) for one in self.list]}")
        for one in self.list:
            if not self.is_expected(one):
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)


def warns(expected=Warning, *args, match=None, **kwargs):
    if not args:
        return Warns(expected, match)
    with Warns(expected):
        return args[0](*args[1:], **kwargs)


def deprecated_call(*args, match=None, **kwargs):
    return warns((DeprecationWarning, PendingDeprecationWarning, FutureWarning), *args, match=match, **kwargs)


class approx:
    """A number, or numbers, within a tolerance."""

    __array_ufunc__ = None
    __array_priority__ = 100

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected, self.rel, self.abs, self.nan_ok = expected, rel, abs, nan_ok

    def is_near(self, one, other):
        if one == other:
            return True
        if isinstance(one, float) and isinstance(other, float) and one != one and other != other:
            return self.nan_ok
        tolerance = max((1e-6 if self.rel is None and self.abs is None else self.rel or 0) * math.fabs(other), 1e-12 if self.abs is None else self.abs)
        return abs(one - other) <= tolerance

    def __eq__(self, value):
        if isinstance(self.expected, dict):
            return value.keys() == self.expected.keys() and all(self.is_near(value[key], other) for key, other in self.expected.items())
        if hasattr(self.expected, "__len__") and not isinstance(self.expected, str):
            return len(value) == len(self.expected) and all(self.is_near(one, other) for one, other in zip(value, self.expected))
        return bool(self.is_near(value, self.expected))

    def __repr__(self):
        return f"{self.expected!r} ± {self.abs or self.rel or 1e-6}"


ABSENT = object()


class MonkeyPatch:
    """Sets what a test wants otherwise, and puts it back."""

    def __init__(self):
        self.undone = []

    @classmethod
    @contextlib.contextmanager
    def context(cls):
        made = cls()
        try:
            yield made
        finally:
            made.undo()

    def setattr(self, target, name, value=ABSENT, raising=True):
        if value is ABSENT:
            path, _, last = target.rpartition(".")
            target, name, value = resolved(path), last, name
        before = vars(target).get(name, ABSENT) if inspect.isclass(target) else getattr(target, name, ABSENT)
        assert before is not ABSENT or hasattr(target, name) or not raising, f"{target!r} has no {name}"
        self.undone.append(lambda: delattr(target, name) if before is ABSENT else setattr(target, name, before))
        setattr(target, name, value)

    def delattr(self, target, name, raising=True):
        before = getattr(target, name, ABSENT)
        if before is not ABSENT:
            self.undone.append(lambda: setattr(target, name, before))
            delattr(target, name)

    def setitem(self, target, key, value):
        before = target.get(key, ABSENT)
        self.undone.append(lambda: target.pop(key, None) if before is ABSENT else target.__setitem__(key, before))
        target[key] = value

    def delitem(self, target, key, raising=True):
        if key in target:
            before = target.pop(key)
            self.undone.append(lambda: target.__setitem__(key, before))

    def setenv(self, name, value, prepend=None):
        import os

        self.setitem(os.environ, name, str(value))

    def delenv(self, name, raising=True):
        import os

        self.delitem(os.environ, name)

    def undo(self):
        for undo in reversed(self.undone):
            undo()
        self.undone.clear()


def resolved(path):
    """What a dotted path names."""
    import importlib

    parts = path.split(".")
    for end in range(len(parts), 0, -1):
        with contextlib.suppress(ImportError):
            return functools.reduce(getattr, parts[end:], importlib.import_module(".".join(parts[:end])))
    raise ImportError(path)


def hookimpl(*args, **_):
    return args[0] if args else lambda function: function


def register_assert_rewrite(*_):
    pass


def __getattr__(name):
    """Names of types, for annotations; and of pytest's own warnings."""
    if name.startswith("__") or not name[0].isupper():
        raise AttributeError(name)
    return type(name, (UserWarning,) if name.endswith("Warning") else (), {})
