"""The check of a script before anything of it runs. Native code reads what calls the script writes while it is compiled, the host judges them, and this
tells what is wrong: with the errors that the script would come to."""

from .own import __builtins__

import builtins
from types import ModuleType

import _ampoule

from . import advice, lasting, missing, places, scope, thrown
from .calls import Call, ToolError
from .names import written
from .tool import UnknownName, tool_of
from .tools import Proxy, Server, Tools, tools

# How a program is checked.
OFF, FIRST, ALONE = range(3)

# How many mistakes are told at once.
TOLD = 10

NOTHING_CALLED = "Nothing was called: the script was checked before it ran."

# How much of a source is shown as what something is read of, in bytes.
LONGEST = 60

# Packages whose names a program's own modules may have.
PACKAGES = frozenset({"servers", "tools", "mcp"})

# What runs nothing of a script's, and holds nothing that does.
PLAIN = frozenset({str, bytes, int, float, bool, type(None), ModuleType, Server, Proxy, Tools})

# Names by which a script of a session keeps what ends a later one.
EXITS = frozenset({"exit", "quit", "_exit", "abort"})

# Names by which it changes what all scripts have.
OPENING = frozenset({"builtins", "__builtins__", "setattr", "exec", "eval", "globals", "vars", "unittest", "modules", "__dict__", "__main__"})

# What values have beside the keys of objects, whatever they are.
ATTRIBUTES = frozenset(name for kind in (dict, list, str, int, float, bool, type(None)) for name in dir(kind))


def refusal(name, namespace, codes, roots):
    """What is told of a script with mistakes; None of one without. `roots` are names that it calls something of."""
    mistakes = judged(namespace, codes, roots)
    if not mistakes:
        return None
    found = [told for told in (told_of(mistake, name) for mistake in mistakes) if told is not None]
    if not found:
        return None
    lines = []
    for error, line, offset in found[:TOLD]:
        location = places.location(name, line, column(name, line, offset))
        kind, message = named(error)
        lines.append((kind, message if type(error) is Other else advice.of(error, message, location), location))
    kind, message, location = lines[0]
    if len(lines) > 1:
        listed = "".join(f"\nline {where[1]}, column {where[2]}: {other}: {said}" for other, said, where in lines)
        message = f"The script has {len(lines)} mistakes:{listed}"
    message = thrown.cut(message, thrown.MESSAGE_LIMIT - len(NOTHING_CALLED))
    return "thrown", kind, f"{message}\n{NOTHING_CALLED}", location, "", []


def judged(namespace, codes, names):
    if PACKAGES & missing.own_names or uses_others(namespace, codes):
        return []
    known = [root for root in (root_of(name, namespace) for name in names) if root is not None]
    return _ampoule.judge(known, namespace) if known or "" in names else []


def uses_others(namespace, codes):
    """Whether a script uses code of others: the program's own modules, or what earlier scripts of a session left. That may end the script, bind its names,
    and change what it writes."""
    others = {name.partition(".")[0] for name in missing.own_names}
    session = lasting.session
    if session is not None:
        if session._is_open:
            return True
        if session._has_code:
            others.update(name for name, value in namespace.items() if type(value) not in PLAIN)
    return bool(others) and not others.isdisjoint(scope.names_in(codes))


def note(session, codes):
    """Notes of a script of a session what later ones may use of it."""
    names = scope.names_in(codes)
    session._has_code |= bool(missing.own_names) or scope.has_functions(codes) or not EXITS.isdisjoint(names)
    session._is_open |= not OPENING.isdisjoint(names)


def root_of(name, namespace):
    """What a name stands for: all servers, or one of them."""
    value = namespace.get(name, builtins.__dict__.get(name))
    kind = type(value)
    if issubclass(kind, Server):
        return name, value._name, issubclass(kind, Proxy)
    return (name, None, False) if kind is Tools else None


def told_of(mistake, file):
    """The error that the script would come to, with its place; None if it would come to none, or that can't be told."""
    try:
        error = error_of(mistake, file)
    except Exception:
        return None
    return None if error is None else (error, mistake["line"], mistake["offset"])


def error_of(mistake, file):
    kind, server, tool = mistake["kind"], mistake["server"], mistake["tool"]
    if kind == "name":
        error = unknown(server, tool)
    elif kind == "arguments":
        error = ToolError(mistake["message"], kind="arguments", server=mistake["found"][0], tool=mistake["found"][1])
        if mistake["keys"] and not tool_of(_ampoule.resolve(server, tool))._holds_names(dict.fromkeys(mistake["keys"])):
            # It is the first argument, whose schema the host did not hold it against.
            error = None
    elif kind == "early":
        error = unawaited(mistake, file)
    else:
        error = unread(mistake, file)
    return error


def unknown(server, tool):
    """The error of a name that is not there. Some are, though no tool has them."""
    try:
        getattr(getattr(tools, server), tool)
    except UnknownName as error:
        return error
    except AttributeError:
        pass
    return None


def unread(mistake, file):
    """A property that the tool's answers do not have."""
    name, is_attribute, *end = mistake["read"]
    if is_attribute and name in ATTRIBUTES:
        return None
    error = AttributeError if is_attribute else KeyError
    of = text_between(file, mistake["line"], mistake["offset"], *end) or f"{mistake['server']}.{mistake['tool']}(...)"
    return Other(error.__name__, f"`{of}` {mistake['message']}")


def unawaited(mistake, file):
    """A call that is taken for its answer, as the call itself says it."""
    name, is_attribute, *_ = mistake["read"]
    if unknown(mistake["server"], mistake["tool"]) or is_attribute and hasattr(Call, name):
        return None
    tool = tool_of(_ampoule.resolve(mistake["server"], mistake["tool"]))
    call = f"{written(tool.server, tool.name)}(...)"
    part, why = (f".{name}", f"it has no attribute `{name}` yet") if is_attribute else (f"[{name!r}]", f"{name!r} can't be read of it yet")
    source = places.line_text(file, mistake["line"]).encode("utf-8", "replace")
    is_under_await = source[: mistake["offset"]].endswith(b"await ")
    advised = f"`await` takes all that follows; write `(await {call}){part}`" if is_under_await else f"write `await {call}`"
    error = "AttributeError" if is_attribute else "TypeError"
    return Other(error, f"the call of {tool} in line {mistake['call_line']} was not awaited, so {why}: {advised}")


class Other(Exception):
    """An error of Python's own, by the name of its class."""

    def __init__(self, name, message):
        super().__init__(message)
        self.name = name


def named(error):
    """The name and the message of an error."""
    return (error.name, str(error)) if type(error) is Other else thrown.named(error)


def text_between(name, line, offset, end_line, end):
    """What a source has in a line between two bytes; nothing if it goes on in another line, or is long."""
    source = places.line_text(name, line).encode("utf-8", "replace")[offset:end] if line == end_line else b""
    return source.decode("utf-8", "replace") if len(source) <= LONGEST else ""


def column(name, line, offset):
    """The column of a byte in a line, from 1."""
    text = places.line_text(name, line)
    return len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "replace")) + 1
