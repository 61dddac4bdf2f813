"""A small Lisp."""
import operator as op, math, re, sys
from functools import reduce

class Lambda:
    def __init__(self, params, body, env): self.params, self.body, self.env = params, body, env
    def __call__(self, *args): return evaluate(self.body, dict(zip(self.params, args, strict=True)), self.env)
    def __repr__(self): return f"(lambda {show(self.params)} …)"
class Symbol(str): pass
class LispError(Exception): pass
def read(text):
    tokens = re.findall(r"""[()']|"(?:\\.|[^"])*"|[^\s()']+""", text)
    def form():
        if not tokens: raise LispError("unexpected end")
        match tokens.pop(0):
            case "(":
                out = []
                while tokens and tokens[0] != ")": out.append(form())
                if not tokens: raise LispError("missing )")
                tokens.pop(0); return out
            case ")": raise LispError("unexpected )")
            case "'": return [Symbol("quote"), form()]
            case t if t[0] == '"': return t[1:-1].encode().decode("unicode_escape")
            case t:
                for kind in (int, float):
                    try: return kind(t)
                    except ValueError: pass
                return Symbol(t)
    while tokens: yield form()
def show(x):
    match x:
        case True: return "#t"
        case False: return "#f"
        case list(): return "(" + " ".join(map(show, x)) + ")"
        case Symbol(): return str(x)
        case str(): return '"' + x + '"'
        case None: return "nil"
    return repr(x)
GLOBAL = {"+": lambda *a: sum(a), "*": lambda *a: math.prod(a), "-": lambda a, *b: -a if not b else reduce(op.sub, b, a), "/": op.truediv, "<": op.lt, "=": op.eq, "car": lambda l: l[0], "cdr": lambda l: l[1:], "cons": lambda a, l: [a, *l], "list": lambda *a: list(a), "null?": lambda l: l == [], "map": lambda f, *l: [f(*x) for x in zip(*l)], "apply": lambda f, l: f(*l), "pi": math.pi, "str": lambda *a: "".join(map(str, a)), "mod": op.mod}
def evaluate(x, env, outer=GLOBAL):
    scopes = env, outer
    if isinstance(x, Symbol):
        for scope in (env, *([outer] if isinstance(outer, dict) else outer), GLOBAL):
            if x in scope: return scope[x]
        raise LispError(f"unbound: {x}")
    if not isinstance(x, list): return x
    chain = (env, *([outer] if isinstance(outer, dict) else outer))
    match x:
        case []: return []
        case ["quote", y]: return y
        case ["if", test, then, *other]: return evaluate(then if evaluate(test, env, outer) is not False else (other[0] if other else None), env, outer)
        case ["define", [name, *params], *body]: env[name] = Lambda(params, ["begin", *body], chain); return None
        case ["define", name, value]: env[name] = evaluate(value, env, outer); return None
        case ["lambda", params, *body]: return Lambda(params, [Symbol("begin"), *body], chain)
        case ["let", pairs, *body]: return Lambda([p[0] for p in pairs], ["begin", *body], chain)(*[evaluate(p[1], env, outer) for p in pairs])
        case ["begin", *body]: return [evaluate(b, env, outer) for b in body][-1]
    function, *args = [evaluate(part, env, outer) for part in x]
    if not callable(function): raise LispError(f"not a function: {show(function)}")
    return function(*args)
for line in ["(+ 1 2 (* 3 4.5))", "(define (fact n) (if (< n 2) 1 (* n (fact (- n 1)))))", "(fact 30)", "(map (lambda (x y) (str x \"-\" y)) '(1 2) (list \"a\" 'b))", "(define (counter n) (lambda (d) (+ n d)))", "((counter 5) 3)", "(let ((x 2) (y pi)) (* x y))",
             "(cons 1 '(2 (3)))", "(apply + (map fact '(1 2 3)))", "(car '())", "(undefined 1)", "(1 2)", "(+ 1", ")", "((lambda (x) x))", "(lambda (a b) a)", "(if (= 1 2) 3)", "(define (gcd a b) (if (= b 0) a (gcd b (mod a b)))) (gcd 1071 462)", "(define (loop n) (if (= n 0) 0 (loop (- n 1)))) (loop 20)", "(/ 1 0)"]:
    try:
        for form in read(line): result = evaluate(form, GLOBAL)
        print(f"{line[:50]:52} => {show(result)}")
    except Exception as error: print(f"{line[:50]:52} !! {type(error).__name__}: {error}")
sys.setrecursionlimit(400)
try: list(map(lambda form: evaluate(form, GLOBAL), read("(loop 5000)")))
except RecursionError as error: print("RecursionError", str(error)[:32])
