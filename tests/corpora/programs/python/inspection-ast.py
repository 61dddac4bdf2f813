import ast, textwrap

source = textwrap.dedent('''
    import os, sys as system
    from math import pi as PI, tau
    LIMIT: int = 10
    class Shape(Base, metaclass=Meta):
        """A shape."""
        async def area(self, r=1, *args, k: str = "x", **kw) -> float:
            return await PI * r ** 2 if r else None
    def outer(x):
        global LIMIT
        def inner(y): return [x * y for y in range(LIMIT) if y % 2]
        return inner
    print(f"{outer(3)!r:>10}", "a" "b", 1_000, 0xff, b"x", ...)
''')
tree = ast.parse(source)
class Finder(ast.NodeVisitor):
    def __init__(self): self.depth, self.found = 0, []
    def visit_FunctionDef(self, node):
        self.found.append((node.name, node.lineno, self.depth, [a.arg for a in node.args.args]))
        self.depth += 1; self.generic_visit(node); self.depth -= 1
    visit_AsyncFunctionDef = visit_ClassDef = lambda self, node: (self.found.append((type(node).__name__, node.name, ast.get_docstring(node))), self.generic_visit(node))
    def visit_Import(self, node): self.found.append([a.asname or a.name for a in node.names])
finder = Finder(); finder.visit(tree)
print(*finder.found, sep="\n")
print(ast.unparse(tree))
class Fold(ast.NodeTransformer):
    def visit_BinOp(self, node):
        self.generic_visit(node)
        match node:
            case ast.BinOp(ast.Constant(a), ast.Add(), ast.Constant(b)): return ast.copy_location(ast.Constant(a + b), node)
            case ast.BinOp(left, ast.Mult(), ast.Constant(1)): return left
        return node
expression = Fold().visit(ast.parse("f(1 + 2 + 3, x * 1, [a, *b], {**c, 'k': v}, lambda q, /, w=1: (yield), a if b else c, not x in y)", mode="eval"))
print(ast.unparse(ast.fix_missing_locations(expression)))
print(ast.dump(ast.parse("x: int = y[1:, ::2] @ z", mode="exec"), indent=1))
print(ast.literal_eval("{'a': [1, -2.5, (True, None)], 'b': {1, 2}, 'c': b'x', 'd': 1+2j}"))
for bad in ("__import__('os')", "1 +", "{[]: 1}", "a b"):
    try: ast.literal_eval(bad)
    except (ValueError, SyntaxError, TypeError) as error: print(type(error).__name__, str(error).split(" at 0x")[0].split(": <")[0])
code = compile(expression, "<made>", "eval"); print(code.co_names, eval("a + b", {"__builtins__": {}}, {"a": 1, "b": 2}))
