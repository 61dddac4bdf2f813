"""What is said of calls that were not awaited: where their value is used before it is there, and at the end of the script."""

from .own import __builtins__

from collections import Counter
from inspect import CORO_CREATED, CO_ASYNC_GENERATOR, CO_COROUTINE, getcoroutinestate
from json import JSONEncoder
from opcode import opmap
from sys import _getframe
from types import CoroutineType

from . import places
from .names import written

# How many warnings there are at most of calls that were never awaited; those of one place have one.
TOLD = 8

# What keeps a value under a name.
STORES = frozenset(opmap[name] for name in ("STORE_NAME", "STORE_FAST", "STORE_GLOBAL", "STORE_DEREF"))

# What an answer may be, so that comparing a call with it is a mistake. A call may be `None` where there is none yet.
VALUES = (str, int, float, list, dict)

# What others expect a value to be, by their kinds.
EXPECTED = {str: "a text", list: "a list", dict: "an object"}


class Unawaited:
    """A call, as its value: each use of that says that it is not there yet."""

    __slots__ = ()

    __hash__ = object.__hash__

    def __getattr__(self, name):
        if name[:2] == "__" or name[:8] == "_asyncio":
            raise AttributeError(name)
        raise AttributeError(misuse(self, f"it has no attribute `{name}` yet", f".{name}"), name=name)

    def __getitem__(self, key):
        raise TypeError(misuse(self, f"{key!r} can't be read of it yet", f"[{key!r}]"))

    def __setitem__(self, key, value):
        raise TypeError(misuse(self, f"{key!r} can't be set in it yet"))

    def __iter__(self):
        raise TypeError(misuse(self, "it can't be iterated yet"))

    def __len__(self):
        raise TypeError(misuse(self, "it has no length yet"))

    def __contains__(self, item):
        raise TypeError(misuse(self, "nothing can be looked for in it yet"))

    def __bool__(self):
        raise TypeError(misuse(self, "it is neither true nor false yet"))

    def __str__(self):
        raise TypeError(misuse(self, "it is not a text yet"))

    def __format__(self, spec):
        raise TypeError(misuse(self, "it is not a text yet"))

    def keys(self):
        raise TypeError(misuse(self, "it is not a mapping yet"))


def _equal(self, other):
    if isinstance(other, VALUES):
        raise TypeError(misuse(self, "it can't be compared yet"))
    return NotImplemented


def _order(self, other):
    raise TypeError(misuse(self, "it can't be compared yet"))


def _compute(self, *others):
    expected = EXPECTED.get(type(others[0]), "a number") if others else "a number"
    raise TypeError(misuse(self, f"it is not {expected} yet"))


Unawaited.__eq__ = Unawaited.__ne__ = _equal
for _name in "lt le gt ge".split():
    setattr(Unawaited, f"__{_name}__", _order)
for _name in "add sub mul truediv floordiv mod pow and or".split():
    setattr(Unawaited, f"__{_name}__", _compute)
    setattr(Unawaited, f"__r{_name}__", _compute)
for _name in "int float index neg abs round".split():
    setattr(Unawaited, f"__{_name}__", _compute)


def misuse(call, why, part=""):
    """What is said where a call is taken for its value, for the function that calls this one's caller. `part` is what that read of it."""
    if part and _is_under_await(_getframe(2)):
        advice = f"`await` takes all that follows; write `(await {written(call.tool.server, call.tool.name)}(...)){part}`"
    else:
        advice = advice_on(call.tool, call._at)
    return f"{said_of(call.tool, call._at)} was not awaited, so {why}: {advice}"


def as_argument(call, name, tool):
    """What is said where a call is an argument of a tool."""
    return f"`{name}` of {tool.name} is {said_of(call.tool, call._at)}, which was not awaited: {advice_on(call.tool, call._at)}"


def said_of(tool, at):
    """A call, by its tool and the line where it was made."""
    return f"the call of {tool}{in_line(at)}"


def in_line(at):
    code, instruction = at
    name = code.co_filename
    if name not in places.sources:
        return ""
    line, _ = places.position(code, instruction, None)
    return f" in line {line}" if _is_main(name) else f" in line {line} of {name}"


def advice_on(tool, at):
    """What to write instead of a call that was not awaited."""
    code, instruction = at
    call = f"{written(tool.server, tool.name)}(...)"
    if not _may_await(code):
        return f"write `{call}.result()`, or `await {call}` in an async function"
    if _opcode_after(code, instruction) == opmap["LIST_APPEND"]:
        return f"write `[await {call} for ...]`, or `await asyncio.gather(*[...])`"
    return f"write `await {call}`"


def _is_main(name):
    # The program is noted before its modules.
    return name == next(iter(places.sources))


def _may_await(code):
    return bool(code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)) or code.co_name == "<module>" and _is_main(code.co_filename)


def _is_under_await(frame):
    """Whether an `await` stands before the whole expression that a frame is at, as in `await call()["x"]`."""
    code = frame.f_code
    places_of = list(code.co_positions())
    line, _, column, _ = places_of[frame.f_lasti // 2]
    if column is None:
        return False
    before = line, column - len("await ")
    awaits = opmap["GET_AWAITABLE"]
    return any(opcode == awaits and (place[0], place[2]) == before for opcode, place in zip(code.co_code[::2], places_of))


def _opcode_after(code, instruction):
    """The opcode behind an instruction, without its caches, whose opcode is zero."""
    return next((opcode for opcode in code.co_code[instruction + 2 :: 2] if opcode), None)


# At the end of the script.


def warnings(ended, cancelled, is_program):
    """What is told of calls, each a tool and its place, that nobody awaited: those that ended, and those that did not. What a program, which returns nothing, did not even
    keep was made for what it does."""
    if is_program:
        ended = [(tool, at) for tool, at in ended if _opcode_after(*at) in STORES]
    lines = [_never_awaited(*call, count) for call, count in Counter(ended).items()]
    lines += [_cancelled(*call, count) for call, count in Counter(cancelled).items()]
    rest = len(lines) - TOLD
    return [*lines[:TOLD], f"calls in {rest} more lines were never awaited"] if rest > 0 else lines


def _never_awaited(tool, at, count):
    if count == 1:
        return f"{said_of(tool, at)} was never awaited, and nothing has its answer: {advice_on(tool, at)}"
    return f"{count} calls of {tool}{in_line(at)} were never awaited, and nothing has their answers: {advice_on(tool, at)}"


def _cancelled(tool, at, count):
    advice = advice_on(tool, at)
    if count == 1:
        return f"{said_of(tool, at)} was not awaited, and cancelled before it ended: it may or may not have been done; {advice}"
    return f"{count} calls of {tool}{in_line(at)} were not awaited, and cancelled before they ended: they may or may not have been done; {advice}"


def coroutines(namespace):
    """What is told of global names whose values are coroutines that never began."""
    for name, value in namespace.items():
        if type(value) is CoroutineType and getcoroutinestate(value) == CORO_CREATED:
            call = f"{value.__qualname__}(...)"
            yield f"`{name}` is `{call}`, which was never awaited: write `await {call}`"


def install():
    """Makes `json.dumps` say it, before the snapshot."""
    python_default = JSONEncoder.default

    def default(self, o):
        if isinstance(o, Unawaited):
            raise TypeError(misuse(o, "it can't be written as JSON yet"))
        return python_default(self, o)

    JSONEncoder.default = default
