"""Prints what Python files are made of: kinds of syntax alone, without names, docstrings and texts."""

import ast
import sys


def shape(node):
    body = getattr(node, "body", None)
    if isinstance(body, list) and body and isinstance(body[0], ast.Expr) and isinstance(getattr(body[0].value, "value", None), str):
        body.pop(0)
    return [type(node).__name__, *map(shape, ast.iter_child_nodes(node))]


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        print(shape(ast.parse(file.read(), path, type_comments=True)))
