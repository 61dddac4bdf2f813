"""Values that tools give: JSON objects are dicts whose keys are also attributes."""

from .own import __builtins__

import builtins
from difflib import get_close_matches
from json import JSONDecoder

from _ampoule import keys_as_attributes, read_json, use_objects

# How many keys an error lists before it only counts them.
LISTED = 20

# What an answer has around its value in the protocol, and not here.
PROTOCOL = frozenset({"content", "structuredContent", "structured_content", "isError", "is_error"})

# Methods that hide a key of the same name from attributes.
METHODS = frozenset(name for name in dir(dict) if not name.startswith("_"))


class Object(dict):
    """A dict whose keys are also attributes: `issue["title"]` and `issue.title`."""

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except builtins.KeyError:
            raise AttributeError(self, name) from None

    def __setattr__(self, name, value):
        self[name] = value

    def __delattr__(self, name):
        try:
            del self[name]
        except builtins.KeyError:
            raise AttributeError(self, name) from None

    def __missing__(self, key):
        raise KeyError(self, key)

    def __dir__(self):
        return [*super().__dir__(), *(key for key in self if isinstance(key, str))]

    def __or__(self, other):
        return Object(super().__or__(other)) if isinstance(other, dict) else NotImplemented

    def __ror__(self, other):
        return Object(super().__ror__(other)) if isinstance(other, dict) else NotImplemented

    def copy(self):
        return Object(self)


# Scripts ask for keys that may be missing, so what an error says is put together when somebody reads it.


class KeyError(builtins.KeyError):
    """Python's own, for a key that an answer does not have."""

    def __init__(self, of, key):
        super().__init__(key)
        self.of = of

    def __str__(self):
        return missing(self.of, self.args[0])

    def __reduce__(self):
        return builtins.KeyError, self.args


class AttributeError(builtins.AttributeError):
    """Python's own, for an attribute that an answer does not have."""

    def __init__(self, of, name):
        super().__init__(name, name=name)
        self.of = of

    def __str__(self):
        return missing(self.of, self.name)

    def __reduce__(self):
        return builtins.AttributeError, (str(self),)


def missing(of, key):
    """What is said of a key that is not there."""
    names = [name for name in dict.keys(of) if isinstance(name, str)]
    if not names:
        return f"there is no key {key!r}: the object is empty"
    rows = [name for name, value in dict.items(of) if isinstance(value, list)]
    near = near_names(key, names) if isinstance(key, str) else []
    if key in PROTOCOL:
        guess = ": an answer is the value itself, without what the protocol has around it."
    elif near:
        guess = f"; did you mean {', '.join(map(repr, near))}?"
    elif len(rows) == 1:
        guess = f": its rows are in [{rows[0]!r}]."
    else:
        guess = "."
    return f"there is no key {key!r}{guess} Keys: {listed(names)}"


def near_names(name, names):
    """The names that are like one, or begin with it."""
    near = get_close_matches(name, names, 3, 0.7)
    return near or [other for other in names if len(name) > 2 and other.lower().startswith(name.lower())][:3]


def listed(names):
    """Names, the first of them if they are many."""
    rest = len(names) - LISTED
    more = f" and {rest} more" if rest > 0 else ""
    return ", ".join(names[:LISTED]) + more


def is_awaitable(value):
    return hasattr(type(value), "__await__")


# What `__getattr__` does, done by native code where it finds a key.
keys_as_attributes(Object)
use_objects(Object)
decoder = JSONDecoder(object_hook=Object)

# Reads what is not plain, and tells faults.
decode = decoder.decode

# What may stand around a value.
SPACE = " \t\n\r"


def parse(text):
    """The value of a JSON text."""
    read = read_json(text, 0, Object)
    if read is not None and (read[1] == len(text) or not text[read[1] :].strip(SPACE)):
        return read[0]
    # Space before it, something that is not plain, or a fault that this tells.
    return decode(text)
