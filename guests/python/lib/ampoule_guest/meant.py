"""Whether a script means its global `result` as its result, where it gives none otherwise.

It does where it ends in leaving `result`: its last statement assigns it or changes it, or the last statement of a block of that does, or it calls a function
that declares `global result` and ends so. And it does where it prints nothing, as there is no other answer then. A `result` that a script
used on its way to what it printed is not meant.
"""

from .own import __builtins__

import ast
from types import FunctionType, ModuleType

from . import output
from .shape import BLOCKS

NAME = "result"

# What ends a script, and tells nothing of its result.
EXITS = frozenset({"exit", "quit", "sys.exit"})


def result_of(namespace, statements):
    """The value of a script's `result`, if that is meant, with a note that says so. `statements` gives those of the script; where it printed
    nothing, nobody needs them."""
    value = namespace.get(NAME)
    if value is None:
        return None
    if output.stdout.is_used():
        if not _end_in_it(statements()):
            return None
    elif isinstance(value, (FunctionType, type, ModuleType)):
        return None
    output.note(f"returned the global `{NAME}`")
    return value


def _end_in_it(body):
    functions = {node.name: node for node in body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and _declares_it(node)}
    for statement in reversed(body):
        if not _exits(statement):
            return _leaves_it(statement, functions)
    return False


def _declares_it(function):
    return any(type(node) is ast.Global and NAME in node.names for node in ast.walk(function))


def _exits(statement):
    return type(statement) is ast.Expr and type(statement.value) is ast.Call and ast.unparse(statement.value.func) in EXITS


def _leaves_it(node, functions):
    """Whether a statement, or a block of it, ends in assigning or changing `result`."""
    kind = type(node)
    if kind is ast.Assign:
        return any(map(_holds_it, node.targets))
    if kind is ast.AugAssign or kind is ast.AnnAssign:
        return node.value is not None and _holds_it(node.target)
    if kind is ast.Expr:
        return any(_call_leaves_it(inner, functions) for inner in ast.walk(node) if type(inner) is ast.Call)
    if kind in (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef):
        return False
    return any(_block_leaves_it(block, functions) for block in (getattr(node, name, None) for name in BLOCKS) if block)


def _block_leaves_it(block, functions):
    # Cases and handlers have statements of their own, each of which may be the last.
    ends = block[-1:] if isinstance(block[-1], ast.stmt) else block
    return any(_leaves_it(end, functions) for end in ends)


def _call_leaves_it(call, functions):
    """Whether a call is one of a method of `result`, or of a function that ends in leaving it."""
    of = call.func
    if type(of) is ast.Attribute:
        return _holds_it(of.value)
    called = functions.get(of.id) if type(of) is ast.Name else None
    # Without the functions: one may call itself.
    return called is not None and _leaves_it(called.body[-1], {})


def _holds_it(target):
    """Whether what is assigned to is `result`, or a part of it."""
    if type(target) in (ast.Tuple, ast.List):
        return any(map(_holds_it, target.elts))
    while type(target) in (ast.Attribute, ast.Subscript, ast.Starred):
        target = target.value
    return type(target) is ast.Name and target.id == NAME
