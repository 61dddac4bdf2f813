import traceback, sys, linecache

class AppError(Exception):
    """Raised by the application."""

def level3(x): return 10 / x
def level2(x):
    try:
        return level3(x)
    except ZeroDivisionError as error:
        raise AppError("level 2 failed", {"x": x}) from error
def level1(x): return level2(x)

try:
    level1(0)
except AppError as error:
    print([(f.name, f.line) for f in traceback.extract_tb(error.__traceback__)][1:])
    print(repr(error), error.args, type(error.__cause__).__name__, error.__context__ is error.__cause__, error.__suppress_context__)
    text = "".join(traceback.format_exception(error))
    print(text.count("Traceback (most recent call last):"), "The above exception was the direct cause" in text, text.splitlines()[-1])
    te = traceback.TracebackException.from_exception(error, capture_locals=True)
    print(te.exc_type_str, te.stack[-1].locals, [s.name for s in te.stack])
try:
    try: {}["k"]
    finally: [][1]
except IndexError as error:
    print(type(error.__context__).__name__, error.__context__, error.__cause__)
try:
    raise ExceptionGroup("several", [ValueError(1), TypeError("t"), ExceptionGroup("inner", [KeyError("k"), OSError(2, "No such file", "f.txt")])])
except* (ValueError, KeyError) as group:
    print("caught", group.exceptions, repr(group))
    rest = group
except* OSError as group:
    print("os", group.exceptions[0].exceptions[0].filename, str(group.exceptions[0].exceptions[0]))
except* TypeError as group:
    print(*traceback.format_exception_only(group, show_group=True), sep="")
error = ValueError("noted"); error.add_note("first note"); error.add_note("second\nnote")
print("".join(traceback.format_exception_only(error)), end="")
try: compile("x = (1,\ny = 2", "snippet.py", "exec")
except SyntaxError as error: print(error.msg, error.lineno, error.offset, repr(error.text), error.filename)
for snippet in ("if True:\nx", "print 'a'", "for", "a = = 1", "f'{x!z}'", "def f(a, a): pass", "'abc", "return 1 +", "x = [1, 2", "class: pass", "while True print(1)", "import a.b as", "elif x:", "lambda: (yield", "1 = x", "f() = 1", "None = 1", "async x", "a ? b : c", "try:\n  x", "x++", "5x"):
    try: compile(snippet, "s", "exec"); print("fine", snippet)
    except SyntaxError as error: print(f"{type(error).__name__}: {error.msg} ({error.lineno}:{error.offset})")
