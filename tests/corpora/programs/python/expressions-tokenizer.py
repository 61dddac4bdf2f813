"""A calculator: tokens by one expression, a parser by precedence."""
import re, math, operator
from typing import NamedTuple, Iterator

class Token(NamedTuple):
    kind: str
    text: str
    at: int

SPEC = dict(NUMBER=r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+", NAME=r"[^\W\d]\w*", OP=r"\*\*|//|[-+*/%^(),!]", SKIP=r"\s+", BAD=r".")
SCANNER = re.compile("|".join(f"(?P<{k}>{v})" for k, v in SPEC.items()), re.DOTALL)

def tokens(text: str) -> Iterator[Token]:
    for m in SCANNER.finditer(text):
        if m.lastgroup == "BAD":
            raise SyntaxError(f"{m[0]!r} at {m.start()}")
        if m.lastgroup != "SKIP":
            yield Token(m.lastgroup, m.group(), m.start())

BINARY = {"+": (1, operator.add), "-": (1, operator.sub), "*": (2, operator.mul), "/": (2, operator.truediv), "//": (2, operator.floordiv), "%": (2, operator.mod), "**": (4, operator.pow), "^": (4, operator.pow)}

def evaluate(text, names={"pi": math.pi, "max": max, "sqrt": math.sqrt, "größe": 5}):
    stream = list(tokens(text)) + [Token("END", "", len(text))]
    def atom():
        token = stream.pop(0)
        match token:
            case Token("NUMBER", n): value = float(n) if re.search(r"[.eE]", n) else int(n)
            case Token("NAME", name):
                value = names[name]
                if stream[0].text == "(":
                    stream.pop(0); args = [expr(0)]
                    while stream[0].text == ",": stream.pop(0); args.append(expr(0))
                    stream.pop(0); value = value(*args)
            case Token("OP", "("): value = expr(0); assert stream.pop(0).text == ")", "unclosed"
            case Token("OP", "-" | "+" as sign): value = expr(3) * (-1 if sign == "-" else 1)
            case _: raise SyntaxError(f"unexpected {token.text or 'end'!r} at {token.at}")
        while stream[0].text == "!": stream.pop(0); value = math.factorial(value)
        return value
    def expr(level):
        left = atom()
        while (op := BINARY.get(stream[0].text)) and op[0] >= level:
            stream.pop(0); left = op[1](left, expr(op[0] + (op[0] != 4)))
        return left
    result = expr(0)
    if stream[0].kind != "END": raise SyntaxError(f"left over: {stream[0]}")
    return result

for text in ("1 + 2 * 3", "-2 ** 2", "2 ^ 3 ^ 2", "(1.5e1 - .5) // 4 % 2", "max(1, sqrt(16), 3!) * größe", "7 / 0", "2 $ 3", "1 +", "(1", "5 5", "foo", "10 ** -2", "2.5!"):
    try: print(f"{text:32} = {evaluate(text)!r}")
    except Exception as error: print(f"{text:32} ! {type(error).__name__}: {error}")
