"""The expression that failed, as the source has it, and what of its values can be known without computing anything."""

from .own import __builtins__

import ast
import re
from itertools import islice

from . import places
from .values import Object

# What is not known.
UNKNOWN = object()

# How much of a line is looked at for what a loop takes its values from, in characters.
LOOKED_AT = 200

# Whose items may be read: doing so runs no code of the script.
PLAIN = frozenset({Object, dict, list, tuple, str})


class Failing:
    """An expression of the program that raised an error, in its frame."""

    def __init__(self, trace, node):
        self.frame = trace.tb_frame
        self.line = trace.tb_lineno
        self.node = node

    def value(self, node):
        """The value of an expression, if that is known."""
        kind = type(node)
        if kind is ast.Constant:
            return node.value
        if kind is ast.Name:
            found = self.frame.f_locals.get(node.id, UNKNOWN)
            return self.frame.f_globals.get(node.id, UNKNOWN) if found is UNKNOWN else found
        if kind is ast.Subscript:
            return item(self.value(node.value), self.value(node.slice))
        if kind is ast.Attribute:
            of = self.value(node.value)
            return item(of, node.attr) if type(of) is Object else UNKNOWN
        return UNKNOWN

    def operands(self):
        """The expressions that the failing one is made of, and their values where those are known: outer ones first."""
        for node in ast.walk(self.node):
            if node is not self.node or isinstance(node, (ast.Name, ast.Call)):
                yield node, self.value(node)

    def origin(self, name):
        """The line in which a name got its value last, and what stands there; none if that is not to be seen."""
        return self._last(rf"\s*{re.escape(name)}\s*=(?!=)\s*(.*)", self.line - 1)

    def looped_over(self, name):
        """What a loop takes a name's values from, if it is to be seen."""
        found = self._last(rf".*\bfor\s+{re.escape(name)}\s+in\s+(.*)", self.line)
        if found is None:
            return None
        # It ends where the loop's body begins, or with the brackets around the loop. Each end is tried.
        text = found[1][:LOOKED_AT]
        ends = [at for at, letter in enumerate(text) if letter in ":)] "] + [len(text)]
        for end in ends:
            try:
                return ast.parse(text[:end].strip(), mode="eval").body
            except SyntaxError:
                continue
        return None

    def _last(self, pattern, line):
        lines = places.lines_of(self.frame.f_code.co_filename)
        for number in range(line, 0, -1):
            found = re.match(pattern, lines[number - 1])
            if found:
                return number, found[1]
        return None


def item(of, key):
    """An item of a plain value."""
    if type(of) not in PLAIN or type(key) not in (str, int):
        return UNKNOWN
    try:
        return of[key]
    except (LookupError, TypeError):
        return UNKNOWN


def expression(error):
    """The innermost expression of the program at which an error passed; None if it is none, or can't be read."""
    innermost = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in places.sources:
            innermost = trace
        trace = trace.tb_next
    if innermost is None:
        return None
    text = source_of(innermost)
    try:
        return Failing(innermost, ast.parse(f"({text}\n)", mode="eval").body)
    except SyntaxError:
        pass
    try:
        # As in `total += answer`.
        return Failing(innermost, ast.parse(text.strip()).body[0])
    except (SyntaxError, IndexError):
        return None


def source_of(trace):
    """The source of the instruction at which an error passed."""
    code = trace.tb_frame.f_code
    span = next(islice(code.co_positions(), trace.tb_lasti // 2, None))
    if None in span:
        return ""
    first, last, start, end = span
    lines = [line.encode() for line in places.lines_of(code.co_filename)[first - 1 : last]]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][start:]
    return b"\n".join(lines).decode("utf-8", "replace")
