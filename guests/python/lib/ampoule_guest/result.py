"""Values as JSON: what JSON has as it is, and a readable form of what it has not.

- `nan` and infinities: null
- tuples, sets (in order, if they have one), iterators, ranges and whatever else can be iterated: lists; named tuples, too
- dataclasses and other objects: objects with their public attributes; mappings: objects
- keys that are no texts: their texts
- dates and times: ISO texts; bytes: their text if they are UTF-8, else base64
- `Decimal` and `Fraction`: their digits, as text; in arguments of tools, numbers
- enumerations: their values; paths, UUIDs and the like: their texts
- exceptions: objects with `name` and `message`; functions and classes: `"<function name>"`

A value that holds itself, or nests too deeply, is an error.
"""

from .own import __builtins__

import dataclasses
import enum
from binascii import b2a_base64
from collections.abc import Iterable, Mapping
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from json.encoder import encode_basestring
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from _ampoule import write_json

from .output import encodable
from .plain_json import make_encoder
from .unawaited import Unawaited, as_argument, said_of
from .values import is_awaitable

# How deep a value may nest.
DEPTH_LIMIT = 500

try:
    from json.encoder import c_encode_basestring as quote
except ImportError:
    quote = encode_basestring


class Encoder:
    """Writes values as JSON. The fast way is that of the `json` module; `plain` is for what it does not take."""

    nests = "result nests"
    advice = "return less of it"

    # What waits for an awaitable, if anything does.
    settle = None

    # What stands for values that JSON does not have, by their identities: an iterator gives its items once.
    made = None
    # What the script's own code raised meanwhile.
    failure = None

    def encode(self, value):
        try:
            text = self.text(value)
        except (ValueError, TypeError, RecursionError) as error:
            if error is self.failure:
                raise
            text = self.text(self.plain(value, [], ""))
        if text.isascii():
            return text
        try:
            text.encode()
        except UnicodeEncodeError:
            text = encodable(text)
        return text

    def text(self, value):
        return "".join(make_encoder({}, self.other, quote, None, ":", ",", False, False, False)(value, 0))

    def other(self, value):
        """What stands for a value that JSON does not have."""
        if self.made is None:
            self.made = {}
        known = self.made.get(id(value))
        if known is None:
            try:
                known = value, self.converted(value)
            except BaseException as error:
                self.failure = error
                raise
            self.made[id(value)] = known
        return known[1]

    def converted(self, value):
        if isinstance(value, (set, frozenset)):
            # Not waited for: those that `asyncio.wait` gives may never end.
            return [unawaited(item) if is_awaitable(item) else item for item in in_order(value)]
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        if isinstance(value, (date, time)):
            return value.isoformat()
        if isinstance(value, (Decimal, Fraction)):
            return self.number(value)
        if isinstance(value, enum.Enum):
            return value.value
        if isinstance(value, (bytes, bytearray, memoryview)):
            return text_of_bytes(bytes(value))
        if is_awaitable(value):
            return self.awaitable(value)
        if isinstance(value, Mapping):
            return dict(value)
        if isinstance(value, BaseException):
            return {"name": type(value).__name__, "message": str(value), **attributes(value)}
        if isinstance(value, type):
            return f"<class {value.__name__}>"
        if isinstance(value, (FunctionType, BuiltinFunctionType, MethodType)):
            return self.function(value)
        if isinstance(value, ModuleType):
            return f"<module {value.__name__}>"
        if isinstance(value, Iterable):
            return list(value)
        if is_plain(value):
            held = attributes(value)
            if held or type(value).__repr__ is object.__repr__:
                return held
        return str(value)

    def number(self, value):
        return str(value)

    def function(self, value):
        return f"<function {value.__name__}>"

    def awaitable(self, value):
        return self.settle(value) if self.settle else unawaited(value)

    def plain(self, value, around, path):
        """The value as dicts, lists, texts and numbers alone."""
        if value is None or isinstance(value, (bool, str)):
            return value
        if isinstance(value, int):
            # Its own digits, whatever the class says.
            return int(value)
        if isinstance(value, float):
            return value if value - value == 0 else None
        if any(value is outer for outer in around):
            raise self.cyclic(path)
        if len(around) >= DEPTH_LIMIT:
            raise ValueError(f"The {self.nests} more than {DEPTH_LIMIT} levels deep; {self.advice}")
        around.append(value)
        if isinstance(value, dict):
            made = {}
            for key, item in dict.items(value):
                key = text_of_key(key)
                made[key] = self.plain(item, around, f"{path}[{key!r}]")
        elif isinstance(value, (list, tuple)):
            made = [self.plain(item, around, f"{path}[{at}]") for at, item in enumerate(value)]
        else:
            made = self.plain(self.other(value), around, path)
        around.pop()
        return made

    def cyclic(self, path):
        return ValueError(f"The result holds itself: `result{path}` is one of the values that it is in. Return only what you need of it.")


class ArgumentsEncoder(Encoder):
    """Writes the arguments of a tool: it needs values, and not texts for people."""

    nests = "arguments nest"
    advice = "send less of them"

    def __init__(self, tool):
        self.tool = tool

    def number(self, value):
        return int(value) if value == value and value - value == 0 and value % 1 == 0 else float(value)

    def function(self, value):
        raise self.refuse("they hold a function")

    def awaitable(self, value):
        what = f"{said_of(value.tool, value._at)}, which" if isinstance(value, Unawaited) else "a call that"
        raise self.refuse(f"they hold {what} was not awaited; await it first")

    def cyclic(self, path):
        return self.refuse(f"they hold themselves, at {path}")

    def refuse(self, why):
        return TypeError(f"The arguments of {self.tool.name} can't be written as JSON: {why}")


def text_of_key(key):
    """A dict's key as JSON has keys."""
    if isinstance(key, str):
        return key + ""
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    if isinstance(key, enum.Enum):
        return text_of_key(key.value)
    if isinstance(key, (date, time)):
        return key.isoformat()
    if isinstance(key, bytes):
        return text_of_bytes(key)
    if isinstance(key, tuple):
        return ", ".join(map(text_of_key, key))
    return str(key)


def text_of_bytes(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        return b2a_base64(data, newline=False).decode()


def unawaited(value):
    """What is told of an awaitable that nobody waits for."""
    return f"<{type(value).__name__} that was not awaited>"


def in_order(values):
    """The items of a set, in order if they have one."""
    try:
        return sorted(values)
    except TypeError:
        return list(values)


def is_plain(value):
    """Whether an object says nothing better of itself than what it holds."""
    kind = type(value)
    return kind.__str__ is object.__str__ and (hasattr(value, "__dict__") or hasattr(kind, "__slots__"))


def attributes(value):
    """The public attributes that an object has itself."""
    names = list(getattr(value, "__dict__", ()))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        names += [slots] if isinstance(slots, str) else slots
    return {name: getattr(value, name) for name in names if name[:1] != "_" and hasattr(value, name)}


def render(value, settle=None):
    """A result as JSON. `settle` gives what an awaitable in it gives."""
    encoder = Encoder()
    encoder.settle = settle
    return encoder.encode(value)


def _not_json(value):
    raise TypeError


# What CPython's own code writes, and a tool takes.
_markers = {}
_fast = make_encoder(_markers, _not_json, quote, None, ":", ",", False, False, False)


def arguments_text(arguments, tool):
    """A tool's arguments as JSON."""
    # Most are plain values.
    text = write_json(arguments, False, ",", ":", None, False, False)
    if text is not None:
        return text
    try:
        return "".join(_fast(arguments, 0))
    except (ValueError, TypeError, RecursionError):
        _markers.clear()
    for name, value in arguments.items():
        if isinstance(value, Unawaited):
            raise TypeError(as_argument(value, name, tool))
    return ArgumentsEncoder(tool).encode(arguments)
