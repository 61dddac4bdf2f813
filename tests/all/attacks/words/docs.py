"""Prints the docstrings of Python files: how each is written, between its quotes, and the text that it is to Python."""

import ast
import json
import sys


def docstrings(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    for node in ast.walk(ast.parse(text, path)):
        match getattr(node, "body", None):
            case [ast.Expr(value=ast.Constant(value=str())) as first, *_]:
                written = ast.get_source_segment(text, first)
                assert written[:3] == written[-3:] == '"""', written
                yield [written[3:-3], ast.literal_eval(written)]


for path in sys.argv[1:]:
    print(json.dumps(list(docstrings(path))))
