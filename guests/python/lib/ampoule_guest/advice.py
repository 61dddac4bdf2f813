"""What to do about errors that scripts often meet here."""

from .own import __builtins__

import asyncio
import re
import traceback

from json import JSONDecodeError
from keyword import iskeyword
from types import ModuleType

import _ampoule

from . import absent, failing, mistaken, modes
from .missing import TOOLS
from .names import server_unknown, written

# Methods of dicts that answers have beside their keys.
METHOD = "of an answer's keys, those called `items`, `keys`, `values`, `get` and the like are read as in answer[\"items\"]"

# What messages say whose reason is that something was not awaited.
NOT_AWAITED = re.compile(r"'(?:_asyncio\.)?(coroutine|async_generator|Task|Future|_GatheringFuture)' object (?:is not|has no|does not)|(coroutine)' has no len|Object of type (coroutine) is")

# What messages say where an answer, a call or a tool is taken for something else; and what to do.
MISTAKEN = [
    (re.compile("the JSON object must be str, bytes or bytearray, not "), "A tool's answer is parsed already: use it as it is."),
    (re.compile("Tool'? (?:object )?can't be "), "Call it, as in `await tool(...)`."),
    (re.compile("exceptions must derive from BaseException"), "Write `raise RuntimeError(\"...\")`."),
    (re.compile("Object of type (?:datetime|date|time|timedelta|Decimal|set|Path|UUID) is not JSON"), "Write json.dumps(..., default=str), or return the value itself: what JSON does not have becomes text."),
    (re.compile(r"\bCall\b"), "Write `await` before the call."),
]

# What the code of a notebook has, and Python has not.
MAGIC = re.compile(r"\s*(?:[!%]|pip3? install|python3? -m pip)")
FOREIGN = re.compile(r"\s*(?:const|let|var) \w+ =|.*=> *[{(]|\s*function \w+\(")

# What is written as an argument's name, and is none: `customer-id=`, `from=`.
DASHED = re.compile(r"([A-Za-z_]\w*(?:-\w+)+)\s*=(?!=)")
KEYWORD = re.compile(r"(\w+)\s*=(?!=)")

# Names of other languages.
NAMES = {
    "null": "None",
    "undefined": "None",
    "true": "True",
    "false": "False",
    "NaN": "float(\"nan\")",
    "console": "print(...)",
    "require": "import",
    "fetch": "a granted tool; tools.search(\"words\") finds them",
    "display": "print(...), or the last expression's value, which is the result",
    "get_ipython": "plain Python",
    "exit": "return",
    "functions": "tools, as in `await tools.<server>.<tool>(...)`",
}


def of(error, message, location):
    """The message of an error, and what to do about it."""
    try:
        said = _of(error, message, location)
    except Exception:
        said = None
    if not said:
        return message
    end = "" if message.endswith((".", "!", "?")) else "."
    return f"{message}{end} {said}" if message else said


def _of(error, message, location):
    if isinstance(error, SyntaxError):
        return _syntax(location, message)
    if isinstance(error, NameError):
        return _name(error)
    if isinstance(error, (AttributeError, ImportError)):
        # An error that names what is near has said it.
        if "did you mean" in message:
            return None
        of_value = mistaken.advice(error, message) if isinstance(error, AttributeError) else None
        return _absent(error) or of_value or _near(error) or _not_awaited(message)
    if isinstance(error, TypeError):
        for pattern, said in MISTAKEN:
            if pattern.search(message):
                return said
        if _raised_in(error, asyncio.gather):
            return "It takes calls one by one: asyncio.gather(*calls)."
        if "builtin_function_or_method' object is not" in message or "builtin_function_or_method' has no len()" in message:
            return f"A method was not called, or a key was meant: {METHOD}."
        return mistaken.advice(error, message) or _not_awaited(message)
    if isinstance(error, asyncio.InvalidStateError) and message.startswith("Result is not set"):
        return "Await it, as in `await task`."
    if isinstance(error, RecursionError):
        return "The recursion has no end, or goes deeper than this run's stack: use a loop."
    if isinstance(error, MemoryError):
        if message.startswith("Parser stack overflowed"):
            return "The source nests too deeply: name its inner parts, or read such data with json.loads."
        return "The run's memory is used up: hold less at once."
    if isinstance(error, JSONDecodeError):
        return mistaken.on_text_of_json(failing.expression(error))
    if isinstance(error, ValueError) and message.startswith("Exceeds the limit ("):
        return "The number has too many digits to be written: return something smaller, such as n.bit_length() or n % 10**9."
    if isinstance(error, RuntimeError) and message == "no running event loop":
        return "Write `await` at the top of the script, as in `await main()`, or use asyncio.run(main())."
    if isinstance(error, RuntimeError) and "cannot be called from a running event loop" in message:
        return "Use `await`."
    if "No time zone found" in message:
        return "Zones have names such as \"Europe/Berlin\"; zoneinfo.available_timezones() gives them all."
    if isinstance(error, LookupError):
        return mistaken.on_settings(failing.expression(error))
    return None


def _syntax(location, message):
    text = location[3] if location else ""
    if message.startswith("'await' outside async function"):
        if "lambda" in text[: location[2]]:
            return "A lambda can't await: write a comprehension, as in [await ... for ... in ...]."
        return "Write `async def` before the function that has it, and `await` before its calls."
    if MAGIC.match(text):
        return (
            "This is Python alone, without a shell or a notebook's commands: nothing can be installed; the standard library and the "
            "granted tools are here."
        )
    if FOREIGN.match(text):
        return "This is read as Python, and looks like JavaScript."
    if "`" in text:
        return "This is read as Python: texts with values in them are written f\"... {value} ...\"."
    return _no_name(text, location[2] - 1) if location else None


def _no_name(text, column):
    """What to write instead of an argument's name that is none."""
    for dashed in DASHED.finditer(text):
        if dashed.start() <= column <= dashed.end():
            return f"A name can't have `-`: write `{dashed[1].replace('-', '_')}=`."
    word = KEYWORD.match(text, column)
    if word and iskeyword(word[1]) and text[:column].rstrip().endswith(("(", ",")):
        return f"`{word[1]}` is a word of Python's own: for an argument of a tool, write `{word[1]}_=`."
    return None


def _not_awaited(message):
    kind = NOT_AWAITED.search(message)
    if kind is None:
        return None
    if kind[1] == "async_generator":
        return "A generator with `await` in it is asynchronous: write a list, [... for ... in ...]."
    return "An async function's call gives its value when it is awaited: write `await` before it."


def _name(error):
    name = error.name
    if name is None:
        return None
    if name in NAMES:
        return f"In Python it is {NAMES[name]}." if name not in ("fetch", "functions", "get_ipython") else f"Use {NAMES[name]}."
    said = modes.advice(name)
    if said:
        return said
    try:
        server, tool = _ampoule.name_of(_ampoule.resolve(None, name))
        return f"It is a tool of the server `{server}`: write `await {written(server, tool)}(...)`."
    except _ampoule.UnknownName:
        pass
    try:
        _ampoule.server_name(name.removeprefix("mcp_"))
    except _ampoule.UnknownName as unknown:
        message, near = server_unknown(name, unknown)
        if near or name.startswith("mcp_"):
            return message[:1].upper() + message[1:]
    return _near(error)


def _absent(error):
    """What to use instead of a part of a module that is not there."""
    if isinstance(error, ImportError) and error.name == "mcp":
        return TOOLS
    module = getattr(error, "obj", None)
    return absent.advice_for(module.__name__, error.name) if isinstance(module, ModuleType) else None


def _raised_in(error, function):
    """Whether an error comes from a function, and nothing that it calls."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_code is function.__code__


def _near(error):
    """Python's own guess at what was meant."""
    name = getattr(error, "name_from", None) or error.name
    if name is None or isinstance(error, ImportError) and not getattr(error, "name_from", None):
        return None
    near = traceback._compute_suggestion_error(error, error.__traceback__, name)
    if near:
        return f"Did you mean `{near}`?"
    if isinstance(error, NameError) and name in MODULES:
        return f"Did you forget `import {name}`?"
    if isinstance(error, NameError) and name in MEMBERS:
        return f"Did you forget `from {MEMBERS[name]} import {name}`?"
    return None


# Modules that scripts use and forget to import.
MODULES = frozenset(
    "asyncio base64 collections copy csv datetime decimal functools hashlib heapq io itertools json logging math operator os pathlib "
    "pprint random re statistics string sys textwrap time traceback typing urllib uuid".split()
)

# What scripts use of modules, and forget to import, by its name.
MEMBERS = {
    name: module
    for module, names in {
        "collections": "Counter OrderedDict defaultdict deque namedtuple",
        "dataclasses": "asdict dataclass field",
        "datetime": "date timedelta timezone",
        "decimal": "Decimal",
        "enum": "Enum",
        "fractions": "Fraction",
        "functools": "cache lru_cache partial reduce",
        "itertools": "accumulate chain combinations groupby islice permutations product",
        "operator": "attrgetter itemgetter",
        "pathlib": "Path",
        "statistics": "mean median stdev",
        "typing": "Any Callable Dict List Optional TypedDict Union",
        "zoneinfo": "ZoneInfo",
    }.items()
    for name in names.split()
}
