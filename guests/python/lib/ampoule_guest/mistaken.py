"""What a value is that a script took for something else: told by the expression that failed."""

from .own import __builtins__

import ast
import re
from asyncio import Future
from inspect import CO_COROUTINE
from types import CoroutineType, FunctionType

from . import failing, names
from .failing import UNKNOWN
from .values import PROTOCOL, Object, listed

# How much of a text or an expression is shown, in characters.
SHOWN = 60

# Messages by what they are about.
OF_COROUTINES = re.compile(r"\b(?:coroutine|_GatheringFuture|Future|Task)\b")
OF_TOOLS = re.compile("'Tool' object is not|object of type 'Tool' has")
OF_TEXTS = re.compile("string indices must be integers|'str' object has no attribute")
OF_LISTS = re.compile("list indices must be integers or slices, not str|'list' object has no attribute")
OF_NONE = re.compile("'NoneType' object (?:is not subscriptable|has no attribute)")
OF_VALUES = re.compile(r"(?:can't be awaited|can't be used in 'await' expression)$")
OF_KEYS = re.compile("unhashable type: '(?:Object|dict|list)'")
OF_ORDER = re.compile("not supported between instances of 'Object' and 'Object'")
OF_GAPS = re.compile(r"not supported between instances of (?:'NoneType' and '\w+'|'\w+' and 'NoneType')")
OF_OBJECTS = re.compile(r"['\"]Object['\"]")
OF_NUMBERS = re.compile(r"['\"]str['\"] and|and 'str'|\bstr\b.*\(not \"(?:int|float)\"\)")

KEYS_OF_LOOP = "A loop over an answer that is an object gives its keys: its rows are under one of them, as in answer[\"items\"]."
ITSELF = "An answer is the value itself, without what the protocol has around it: use it as it is."


def advice(error, message):
    """What to do about an error of Python's own; None if this can't tell."""
    for pattern, advise in ADVICE:
        if pattern.search(message):
            return advise(failing.expression(error), getattr(error, "name", None))
    return None


def on_coroutine(of, name):
    """Something asynchronous that was not awaited."""
    if of is None:
        return None
    for node, value in of.operands():
        if isinstance(value, (CoroutineType, Future)):
            origin = origin_of(node, of)
            if origin is not None:
                name, line, text = origin
                return f"`{name}` was not awaited: write `await {shown(called(text))}` in line {line}."
            if type(value) is CoroutineType:
                return not_awaited(f"{value.__qualname__}(...)", "")
        if type(node) is ast.Call and is_async(of.value(node.func)):
            return not_awaited(shown(called(ast.unparse(node))), part_of(of.node) if node is base_of(of) else "")
    return None


def not_awaited(call, part):
    """What is said of an async function's call, of which a part was read."""
    return f"`{call}` was not awaited: write `{f'(await {call}){part}' if part else f'await {call}'}`."


def part_of(node):
    return f".{node.attr}" if type(node) is ast.Attribute else f"[{written(node.slice)}]"


def origin_of(node, of):
    """The name that a value came from, which may be one that is looped over, with the line that gave it and what stands there."""
    if type(node) is not ast.Name:
        return None
    origin = of.origin(node.id)
    if origin is not None:
        return node.id, *origin
    over = of.looped_over(node.id)
    # A list of such values is none itself.
    return origin_of(over, of) if isinstance(of.value(over), Future) else None


def is_async(function):
    return type(function) is FunctionType and bool(function.__code__.co_flags & CO_COROUTINE)


def called(text):
    """A call without what is in its brackets."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        # It goes on in the next line.
        return text.partition("(")[0] + "(...)"
    if type(call) is not ast.Call:
        return text
    return f"{ast.unparse(call.func)}({'...' if call.args or call.keywords else ''})"


def on_text(of, name):
    """A text that is taken for an object."""
    base = base_of(of)
    text = of.value(base) if base is not None else UNKNOWN
    over = of.looped_over(base.id) if type(base) is ast.Name else None
    if over is not None:
        return on_keys(base.id, over, of.value(over))
    if name in PROTOCOL:
        return ITSELF
    if isinstance(text, str):
        return f"`{written(base)}` is the text {shown(repr(str(text)))}, not an object: use it as it is."
    return KEYS_OF_LOOP if name is None else None


def on_keys(name, over, value):
    """A loop over something, whose values are texts."""
    if not isinstance(value, dict):
        # Perhaps an answer: the call itself is no value that is known.
        return KEYS_OF_LOOP if value is UNKNOWN else None
    rows = [key for key, item in dict.items(value) if isinstance(item, list)]
    example = f": write `for {name} in {written(over)}[{rows[0]!r}]`" if len(rows) == 1 else ""
    return f"A loop over an object gives its keys{example}. Keys: {listed(list(map(str, value)))}"


def on_list(of, name):
    """A list that is taken for an object."""
    base = base_of(of)
    if base is None:
        return None
    if name in ("length", "size", "count"):
        return f"Write `len({written(base)})`."
    if name in PROTOCOL:
        return ITSELF
    value = of.value(base)
    what = described(value) if isinstance(value, list) else "a list"
    return f"`{written(base)}` is {what}: write `for item in {written(base)}`."


def described(rows):
    """A list, by what is in it."""
    first = rows[0] if rows else None
    if isinstance(first, dict):
        return f"a list of {len(rows)} object{'' if len(rows) == 1 else 's'} with the keys {listed(list(map(str, first)))}"
    return f"a list of {len(rows)} value{'' if len(rows) == 1 else 's'}" if rows else "an empty list"


def on_none(of, name):
    """None, where there is no object."""
    base = base_of(of)
    if base is None:
        return None
    text = written(base)
    if type(base) not in (ast.Subscript, ast.Attribute):
        return f"`{text}` is None here: look first, as in `if {text} is not None`."
    if type(of.node) is ast.Attribute:
        return f"`{text}` is None here: write `{text} and {text}.{name}`."
    return f"`{text}` is None here: write `({text} or {{}}).get({written(of.node.slice)})`."


def on_object(of, name):
    """An answer that is an object, taken for a number or a text."""
    for node, value in of.operands() if of is not None else ():
        if type(value) is not Object or not value:
            continue
        if len(value) == 1:
            return f"`{written(node)}` is an object with the key {next(iter(value))!r}: write {written(node)}[{next(iter(value))!r}]."
        return f"`{written(node)}` is an object: read one of its keys. Keys: {listed(list(map(str, value)))}"
    return "An answer that is an object has its values under keys, as in answer[\"result\"]."


def on_number(of, name):
    """A text that is taken for a number."""
    for node, value in of.operands() if of is not None else ():
        if isinstance(value, str) and type(node) is not ast.Constant:
            try:
                float(value)
            except ValueError:
                continue
            kind = "int" if value.strip("+- ").isdecimal() else "float"
            return f"`{written(node)}` is the text {shown(repr(str(value)))}: write {kind}({written(node)})."
    return None


def on_value(of, name):
    """A value that is awaited."""
    awaited = of.node.value if of is not None and type(of.node) is ast.Await else None
    if type(awaited) in (ast.List, ast.ListComp, ast.GeneratorExp) or of is not None and isinstance(of.value(awaited), (list, tuple)):
        return f"Write `await asyncio.gather(*{'[...]' if type(awaited) is not ast.Name else awaited.id})`."
    return "It is a value already: leave `await` out."


def on_text_of_json(of):
    """A text that is no JSON."""
    node = of.node.args[0] if of is not None and type(of.node) is ast.Call and of.node.args else None
    text = of.value(node) if node is not None else UNKNOWN
    if not isinstance(text, str):
        return None
    return f"`{written(node)}` is the text {shown(repr(str(text)))}. A tool's answer is parsed already: use it as it is."


def on_settings(of):
    """What a script was to be given by whoever runs it."""
    base = base_of(of)
    if base is not None and written(base) in ("sys.argv", "argv", "os.environ", "environ"):
        return "A script has no arguments, and no settings but `env`: write the values into it."
    return None


def on_tool(of, name):
    """A tool that was not called."""
    for node, value in of.operands() if of is not None else ():
        if type(value).__name__ == "Tool":
            call = f"await {names.written(value.server, value.name)}(...)"
            return f"The tool was not called: write `{f'({call}){part_of(of.node)}' if node is base_of(of) else call}`."
    return None


def said(text):
    """Advice that is the same whatever the expression."""
    return lambda of, name: text


def base_of(of):
    """What the failing expression reads something of."""
    return of.node.value if of is not None and type(of.node) in (ast.Subscript, ast.Attribute) else None


def written(node):
    return shown(ast.unparse(node))


def shown(text):
    return text if len(text) <= SHOWN else text[:SHOWN] + "…"


ADVICE = (
    (OF_COROUTINES, on_coroutine),
    (OF_TOOLS, on_tool),
    (OF_TEXTS, on_text),
    (OF_LISTS, on_list),
    (OF_NONE, on_none),
    (OF_VALUES, on_value),
    (OF_KEYS, said("An object can't be in a set, nor be a dict's key: use one of its values, as in {row[\"id\"] for row in rows}.")),
    (OF_ORDER, said("Objects have no order: write key=lambda row: row[\"id\"].")),
    (OF_GAPS, said("Some of the values are None: leave those out, or write `... or 0`, for texts `... or \"\"`.")),
    (OF_OBJECTS, on_object),
    (OF_NUMBERS, on_number),
)
