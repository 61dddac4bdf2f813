"""From a source as a model wrote it to code: a Markdown fence and common indentation go, and what the script ends in is its result."""

from .own import __builtins__

import __future__
import ast
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST

from _ampoule import at_top

from . import fence, scope, shape

# More brackets than this can't be open at once, or Python's own parser gives up.
TOO_DEEP = "The code is nested too deeply."


# What a line begins with that begins no statement: nothing, space, a comment, or the end of something.
NO_START = ("", "\n", "\r", " ", "\t", "\f", "#", ")", "]", "}")

# What `from __future__ import` changes in code.
FUTURES = 0
for _name in __future__.all_feature_names:
    FUTURES |= getattr(__future__, _name).compiler_flag


class Prepared:
    """Code that is ready to run."""

    __slots__ = ("codes", "is_function")

    def __init__(self, codes, is_function=False):
        # What is run, one after the other.
        self.codes = codes
        # Whether the code is the body of a function, because it returns; else it leaves its value as `shape.RESULT`.
        self.is_function = is_function


def prepare(source, name, lasts=False, begin=None):
    """Makes the main module ready to run. In a session, which `lasts`, functions that it declares are for later ones. `begin` is called before all of
    the code is compiled that runs, and may be so again."""
    begin = begin or nothing
    source = code_in(source)
    begin()
    codes = in_parts(source, name, lasts)
    if codes is not None:
        return Prepared(codes)
    # First: what was kept of it is in the way.
    begin()
    tree = parsed(source, name)
    if "return" in source and shape.returns(tree.body):
        return Prepared([shape.as_function(tree, name, compiled, begin)], True)
    shape.keep_result(tree, lasts)
    return Prepared([compiled(tree, name)])


def nothing():
    """Does nothing."""


def code_in(source):
    """The code of a text as a model wrote it, in the lines that it has there."""
    if source[:1] == "\ufeff":
        source = source[1:]
    if "```" in source or "~~~" in source:
        source = fence.unfenced(source, parses) or source
    return source


def in_parts(source, name, lasts):
    """The code of a script but for its last statement, and of that. Only the last statement's tree is looked at: that of a long script
    takes as much time and memory as all else. None if the script can't be parted so, or all of its tree matters."""
    start = last_statement(source)
    if start == 0:
        return None
    try:
        tail = "\n" * source.count("\n", 0, start) + source[start:]
        tree = compiled(tail, name, PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_ONLY_AST)
        if not shape.ends_in_itself(tree):
            return None
        head = compiled(source[:start], name)
    except SyntaxError:
        # It returns, or the fault is to be found in all of it.
        return None
    assigns = isinstance(tree.body[-1], (ast.Assign, ast.AnnAssign))
    if not assigns:
        shape.keep_result(tree, lasts)
    codes = [head, compiled(tree, name, PyCF_ALLOW_TOP_LEVEL_AWAIT | head.co_flags & FUTURES)]
    return codes if not assigns or lasts or scope.uses_its_functions(codes) else None


def last_statement(source):
    """Where the last line begins that may begin a statement of its own."""
    end = len(source)
    while end > 0:
        start = source.rfind("\n", 0, end) + 1
        if source[start : start + 1] not in NO_START:
            return start
        end = start - 1
    return 0


def module_code(source, name):
    """The code of another module."""
    return compiled(parsed(source, name), name, 0)


def parses(text):
    """Whether a text is code."""
    try:
        parsed(text, "<text>")
    except SyntaxError:
        return False
    return True


def parsed(source, name):
    try:
        return compiled(source, name, PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_ONLY_AST)
    except IndentationError:
        first = next((line for line in source.split("\n") if line.strip() and line.lstrip()[0] != "#"), "")
        if first[:1] not in (" ", "\t"):
            raise
    # All of it is indented: that is the body of something, and texts in it stay as they are.
    try:
        tree = compiled("if 1:\n" + source, name, PyCF_ALLOW_TOP_LEVEL_AWAIT | PyCF_ONLY_AST)
    except SyntaxError as error:
        error.lineno -= 1
        if error.end_lineno:
            error.end_lineno -= 1
        raise
    ast.increment_lineno(tree, -1)
    tree.body = tree.body[0].body + tree.body[1:]
    return tree


def compiled(source, name, flags=PyCF_ALLOW_TOP_LEVEL_AWAIT):
    """Python's own compiler, whose limits are faults of the source."""
    try:
        return at_top(compile, source, name, "exec", flags, True)
    except (RecursionError, MemoryError):
        raise SyntaxError(TOO_DEEP, (name, 1, 1, None)) from None
    except ValueError as error:
        # Zero bytes, and halves of surrogate pairs.
        raise SyntaxError(f"The source is not valid text: {error}", (name, 1, 1, None)) from None
