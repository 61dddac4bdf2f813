"""What scripts call by its name alone that were written for other code modes: `text(...)`, `store(...)`, `ALL_TOOLS`, `external_<tool>(...)`. A name
is there for a script that calls it and does not bind it."""

from .own import __builtins__

import _ampoule

from . import output
from .calls import Call
from .result import render
from .tool import tool_of
from .tools import Declaration
from .values import Object, is_awaitable

# What stands before a tool's name.
EXTERNAL = "external_"

# What `store` keeps: in a session, the memory is there in its next run.
kept = {}

# What is kept as it is, and classes of such values by their modules.
PLAIN = (str, bytes, int, float, complex, bool, type(None))
MODULES = frozenset({"datetime", "decimal", "fractions", "uuid", "zoneinfo"})

# What holds others.
HOLDERS = (list, tuple, set, frozenset)


def text_of(value):
    """A value as the answer would have it: a text as it is, anything else as JSON."""
    if is_awaitable(value):
        raise TypeError("the value was not awaited: write `await` before the call that gives it")
    return value if isinstance(value, str) else "null" if value is None else render(value, None)


def text(value):
    """Prints a value: a text as it is, anything else as JSON."""
    print(text_of(value))


def notify(value):
    """Tells whoever waits at once. It is in the output, too, apart from the result."""
    told = text_of(value)
    output.stdout.write_line(output.WARN, told)
    output.progress(told)


def store(key, value):
    """Keeps a copy of a value under a key: in a session, for its next runs."""
    key = key_of(key, "store")
    if value is None:
        kept.pop(key, None)
    else:
        kept[key] = copied(value, key, ())


def load(key):
    """A copy of what is kept under a key; None if nothing is."""
    key = key_of(key, "load")
    return copied(kept[key], key, ()) if key in kept else None


def key_of(key, of):
    if not isinstance(key, (str, int)):
        raise TypeError(f"{of} takes a key, which is a text")
    return str(key)


def copied(value, key, around):
    """A copy of a value that is data."""
    kind = type(value)
    if kind in PLAIN or kind.__module__ in MODULES and not isinstance(value, type):
        return value
    if any(value is outer for outer in around):
        raise refused(key, "it holds itself")
    inner = (*around, value)
    if isinstance(value, dict):
        made = ((copied(name, key, inner), copied(item, key, inner)) for name, item in dict.items(value))
        return Object(made) if kind is Object else dict(made)
    if isinstance(value, bytearray):
        return bytearray(value)
    for holder in HOLDERS:
        if isinstance(value, holder):
            return holder(copied(item, key, inner) for item in value)
    if isinstance(value, Call):
        raise refused(key, "it holds a call that was not awaited")
    raise refused(key, f"it is, or holds, a {kind.__name__}")


def refused(key, why):
    return TypeError(f"store can't keep the value for {key!r}: {why}. Keep texts, numbers, lists, dicts, sets, dates and bytes")


def yield_control():
    """Lets whoever waits see what was printed: each line is seen as it is printed."""
    return Declaration()


def all_tools():
    """The granted tools. A tool's name is given alone where that means it, or with its server's."""
    found = []
    for server, _, _ in _ampoule.servers():
        for _, name, _, description in _ampoule.tools_of(server):
            found.append(Object(name=name if is_meant(server, name) else f"{server}__{name}", description=description))
    return found


def is_meant(server, name):
    """Whether a name alone is that of this tool."""
    try:
        return tuple(_ampoule.name_of(_ampoule.resolve(None, name))) == (server, name)
    except _ampoule.UnknownName:
        return False


FUNCTIONS = {function.__name__: function for function in (text, notify, store, load, yield_control)}


def value_of(name, is_called):
    """What a free name stands for; None if for nothing of other code modes."""
    if name == "ALL_TOOLS":
        return all_tools()
    if is_called and name in FUNCTIONS:
        return FUNCTIONS[name]
    tool = external(name)
    if tool:
        try:
            return tool_of(_ampoule.resolve(None, tool))
        except _ampoule.UnknownName:
            # It is told when the script comes to it.
            pass
    return None


def external(name):
    """The tool's name in `external_<tool>`."""
    return name[len(EXTERNAL) :] if name.startswith(EXTERNAL) else ""


def advice(name):
    """What is said of such a name that is not there; None if nothing is."""
    if name in FUNCTIONS:
        return f"Print with print(...), or call it: `{name}(value)`." if name in ("text", "notify") else f"Call it: `{name}(...)`."
    tool = external(name)
    if tool:
        try:
            _ampoule.resolve(None, tool)
        except _ampoule.UnknownName as unknown:
            message = str(unknown.args[0])
            return message[:1].upper() + message[1:]
    return None
