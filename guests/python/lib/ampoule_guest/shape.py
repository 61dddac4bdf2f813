"""What a script's result is: what it returns, the value of its last expression, or what the function gives that it declares."""

from .own import __builtins__

import ast
from ast import AsyncFunctionDef, ClassDef, Expr, FunctionDef, If, Name, Return, Store
from inspect import CO_ASYNC_GENERATOR, CO_GENERATOR
from types import CodeType

from . import output

# The name under which a script leaves the value of its last expression.
RESULT = "__result__"

# The name of the function that a script becomes if it returns.
FUNCTION = "__script__"

# What functions mean by their arguments that are called so.
GIVEN = {name: "tools" for name in "tools client mcp mcp_client codemode session".split()} | {"env": "env"}

# Where statements have others.
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")
SCOPES = (FunctionDef, AsyncFunctionDef, ClassDef)


def statements(body):
    """The statements of a block and of those in it, but not those of functions and classes; with the list and the place of each."""
    rest = [body]
    while rest:
        block = rest.pop()
        for at, node in enumerate(block):
            yield block, at, node
            if not isinstance(node, SCOPES):
                for name in BLOCKS:
                    inner = getattr(node, name, None)
                    if inner:
                        rest.append(inner)


def returns(body):
    """Whether a script returns at its top."""
    return any(type(node) is Return for _, _, node in statements(body))


def ends_in_itself(tree):
    """Whether a script's last statement alone tells what the result is: it is no definition, and nothing returns."""
    last = tree.body[-1] if tree.body else None
    return not isinstance(last, (*SCOPES, type(None))) and not returns(tree.body)


def keep_result(tree, lasts):
    """Makes a script leave the value of its last expression, or of the function that it declares: in a session, which `lasts`, only of `main`."""
    body = tree.body
    if not body:
        return
    last = body[-1]
    if type(last) is Expr and type(last.value) is ast.Lambda:
        body[-1] = _called(last.value, last.value, last) if _needed(last.value.args) <= GIVEN.keys() else _refused([last.value])
    elif type(last) is Expr:
        body[-1] = _result(last.value, last)
    elif type(last) is If and _is_main(last.test) and type(last.body[-1]) is Expr:
        last.body[-1] = _result(last.body[-1].value, last.body[-1])
    elif isinstance(last, (FunctionDef, AsyncFunctionDef, ClassDef, ast.Assign, ast.AnnAssign)):
        _call_declared(tree, lasts)


def _result(value, place):
    target = ast.copy_location(Name(RESULT, Store()), place)
    return ast.copy_location(ast.Assign([target], value), place)


def _is_main(test):
    """`__name__ == "__main__"`."""
    if type(test) is not ast.Compare or len(test.comparators) != 1:
        return False
    sides = {ast.unparse(test.left), ast.unparse(test.comparators[0])}
    return sides == {"__name__", "'__main__'"}


def _call_declared(tree, lasts):
    """A script that only declares things: it calls `main`, or else the one function that there is. If there are several and none is
    used, the script does nothing, which nobody means: it says so."""
    functions = []
    executed = 0
    for node in tree.body:
        if isinstance(node, (FunctionDef, AsyncFunctionDef)):
            functions.append(node)
        elif isinstance(node, (ast.Import, ast.ImportFrom)) or type(node) is Expr and type(node.value) is ast.Constant:
            continue
        elif not isinstance(node, (ClassDef, ast.Assign, ast.AnnAssign)):
            return
        executed += 1
    if not functions or _are_used(functions, tree):
        return
    chosen = next((node for node in functions if node.name == "main"), functions[0] if executed == 1 and not lasts else None)
    if chosen is not None and _needed(chosen.args) <= GIVEN.keys():
        tree.body.append(_called(chosen, Name(chosen.name, ast.Load()), tree.body[-1]))
    elif lasts:
        return
    elif any(type(node) is ast.Call for statement in _outside(tree) for node in ast.walk(statement)):
        # It has done something.
        output.warn(_idle(functions))
    elif not any(node.decorator_list for node in functions):
        # A decorator may do anything with its function.
        tree.body.append(_refused(functions))


def _called(function, callee, place):
    """The statement that calls a function with what its arguments are known to mean."""
    named = [ast.keyword(name, Name(GIVEN[name], ast.Load())) for name in _needed(function.args)]
    call = ast.Call(callee, [], named)
    return ast.fix_missing_locations(ast.copy_location(_result(call, place), place))


def _needed(args):
    """The names of the arguments that have no default, in their order."""
    positional = [*args.posonlyargs, *args.args]
    needed = positional[: len(positional) - len(args.defaults)]
    needed += [arg for arg, default in zip(args.kwonlyargs, args.kw_defaults) if default is None]
    return dict.fromkeys(arg.arg for arg in needed).keys()


def _refused(functions):
    """The statement that fails as nothing calls functions."""
    error = ast.Call(Name("TypeError", ast.Load()), [ast.Constant(_idle(functions))], [])
    return ast.fix_missing_locations(ast.copy_location(ast.Raise(error, None), functions[-1]))


def _idle(functions):
    """What is said of functions that nothing calls."""
    used = {node.id for function in functions for node in ast.walk(function) if type(node) is Name}
    *_, last = [function for function in functions if getattr(function, "name", "") not in used] or functions
    needed = _needed(last.args)
    giving = f" that gives {', '.join(f'`{name}`' for name in needed)}" if needed else ""
    if type(last) is ast.Lambda:
        return f"the script is a function, and nothing calls it. Write statements instead, or a call{giving}."
    names = ", ".join(f"`{function.name}`" for function in functions)
    call = f"{'await ' if type(last) is AsyncFunctionDef else ''}{last.name}({'...' if needed else ''})"
    return f"the script declares {names} and calls nothing. End it with a call{giving}, such as `{call}`."


def _are_used(functions, tree):
    """Whether anything outside of functions uses one of these."""
    names = {node.name for node in functions}
    return any(type(node) is Name and node.id in names for statement in _outside(tree) for node in ast.walk(statement))


def _outside(tree):
    """The statements that are no functions."""
    return [node for node in tree.body if not isinstance(node, (FunctionDef, AsyncFunctionDef))]


def as_function(tree, name, compiled, begin):
    """The code of a script as the body of a function, whose names are global all the same. `begin` is called before that is compiled."""
    for block, at, node in statements(tree.body):
        replaced = _in_function(node)
        if replaced is not node:
            block[at] = ast.fix_missing_locations(ast.copy_location(replaced, node))
    futures, body = _after_futures(tree.body)
    output.muted = True
    try:
        # The compiler tells which names the body would bind, and whether it awaits.
        try:
            kind = FunctionDef
            code = _function(kind, body, futures, name, compiled)
        except SyntaxError:
            kind = AsyncFunctionDef
            code = _function(kind, body, futures, name, compiled)
    finally:
        output.muted = False
    names = sorted({*code.co_varnames, *code.co_cellvars})
    body = [ast.Global(names), *body] if names else body
    begin()
    code = _function(kind, body, futures, name, compiled)
    if code.co_flags & (CO_GENERATOR | CO_ASYNC_GENERATOR):
        raise SyntaxError("'yield' outside function", (name, 1, 1, None))
    return code.replace(co_name="<module>", co_qualname="<module>")


def _in_function(node):
    """A statement that a module may have and a function may not, as one that it may."""
    if type(node) is ast.AnnAssign and type(node.target) is Name:
        return ast.Assign([node.target], node.value) if node.value else ast.Pass()
    if type(node) is ast.Global:
        return ast.Pass()
    if type(node) is ast.ImportFrom and node.names[0].name == "*":
        arguments = [ast.Constant(node.module or ""), ast.Call(Name("globals", ast.Load()), [], []), ast.Constant(node.level)]
        return Expr(ast.Call(Name(IMPORT_ALL, ast.Load()), arguments, []))
    return node


# `from module import *` as a function.
IMPORT_ALL = "__import_all__"


def import_all(name, namespace, level):
    """Puts the public names of a module into a namespace."""
    module = __import__(name, namespace, None, ["*"], level)
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name in vars(module) if name[:1] != "_"]
    namespace.update((name, getattr(module, name)) for name in names)


def _after_futures(body):
    """The `from __future__` imports that a script begins with, which only a module may have, and its other statements. A text may come before
    the imports; a later one is a fault, which the compiler tells."""
    end = start = 1 if body and type(body[0]) is Expr and type(body[0].value) is ast.Constant and type(body[0].value.value) is str else 0
    while end < len(body) and type(body[end]) is ast.ImportFrom and body[end].module == "__future__" and not body[end].level:
        end += 1
    return body[start:end], body[:start] + body[end:]


def _function(kind, body, futures, name, compiled):
    made = kind(name=FUNCTION, args=ast.arguments([], [], None, [], [], None, []), body=body, decorator_list=[], returns=None, type_params=[])
    module = ast.fix_missing_locations(ast.Module([*futures, made], []))
    code = compiled(module, name)
    return next(constant for constant in code.co_consts if type(constant) is CodeType and constant.co_name == FUNCTION)
