"""From a source as a model wrote it to code: a Markdown fence and common indentation go, and what the script ends in is its result."""

from .own import __builtins__

import ast
from ast import PyCF_ALLOW_TOP_LEVEL_AWAIT, PyCF_ONLY_AST

from . import fence, shape

# More brackets than this can't be open at once, or Python's own parser gives up.
TOO_DEEP = "The code is nested too deeply."


class Prepared:
    """Code that is ready to run."""

    __slots__ = ("code", "is_function", "idle")

    def __init__(self, code, is_function=False, idle=()):
        self.code = code
        # Whether the code is the body of a function, because it returns; else it leaves its value as `shape.RESULT`.
        self.is_function = is_function
        # The functions that it declares, if that is all it does.
        self.idle = idle


def prepare(source, name):
    """Makes the main module ready to run."""
    if source[:1] == "\ufeff":
        source = source[1:]
    if "```" in source or "~~~" in source:
        source = fence.unfenced(source, parses) or source
    tree = parsed(source, name)
    if "return" in source and shape.returns(tree.body):
        return Prepared(shape.as_function(tree, name, compiled), True)
    idle = shape.keep_result(tree)
    return Prepared(compiled(tree, name), idle=idle)


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
        return compile(source, name, "exec", flags, True)
    except (RecursionError, MemoryError):
        raise SyntaxError(TOO_DEEP, (name, 1, 1, None)) from None
    except ValueError as error:
        # Zero bytes, and halves of surrogate pairs.
        raise SyntaxError(f"The source is no text: {error}", (name, 1, 1, None)) from None
