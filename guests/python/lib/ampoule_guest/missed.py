"""Keys that a script asks answers for with `.get`, and that none of them has: the script goes on without them, and gives something that looks right.

Nothing is done at the calls of `get` themselves. Where a script has any, the keys of its answers are noted; what it asked for in vain is found out when it has ended."""

from .own import __builtins__

import re
from itertools import islice

from . import calls
from .names import fold
from .values import Object, near_names

# A text that is asked for.
ASKED = re.compile(r"""\.get\(\s*(["'])(\w+)\1\s*[,)]""")

# How many such texts of a script are looked at, and how many keys are noted: names are compared with each.
LOOKED_AT = 20
MOST_KEYS = 200

# How many items of an object are looked at: one with more is a table, whose keys are data.
NOTED = 100

# The keys of the answers, at any depth, and those of lists.
keys = set()
lists = set()


def begin():
    """Notes the keys of all answers from here on."""
    calls.look_at = note


def forget():
    calls.look_at = None
    keys.clear()
    lists.clear()


def note(answer):
    """Notes the keys of an answer; of lists, those of the first item."""
    rest = [answer]
    while rest:
        value = rest.pop()
        if type(value) is list:
            rest += value[:1]
        elif isinstance(value, Object) and len(value) <= NOTED and len(keys) < MOST_KEYS:
            keys.update(value)
            lists.update(key for key, item in value.items() if type(item) is list)
            rest += [item for item in value.values() if isinstance(item, (list, Object))]


def warnings(source):
    """What is told of keys that no answer had. Those that a script has elsewhere, too, are its own; and one that also has the right name knows it."""
    asked = list(islice(ASKED.finditer(source), LOOKED_AT))
    names = [found[2] for found in asked]
    for at, found in enumerate(asked):
        name = found[2]
        is_own = source.count(f'"{name}"') + source.count(f"'{name}'") > names.count(name)
        if not keys or name in keys or is_own or name in names[:at]:
            continue
        likely = [key for key in keys if fold(key) == fold(name)] or near_names(name, sorted(keys)) or (lists if len(lists) == 1 else [])
        if likely and not any(is_read(key, source) for key in likely):
            line = source.count("\n", 0, found.start()) + 1
            yield f"no answer has the key {name!r} (line {line}); did you mean {', '.join(map(repr, likely))}?"


def is_read(key, source):
    """Whether a script reads a key, too: `["key"]`, `.key`."""
    return re.search(rf"""(["']){re.escape(key)}\1|\.{re.escape(key)}\b(?!\()""", source) is not None
