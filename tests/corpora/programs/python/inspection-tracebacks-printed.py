import traceback, sys

def parse(text):
    values = text.split(",")
    return [int(value) for value in values]

def total(*lines):
    return sum(
        sum(parse(line))
        for line in lines
    )

for lines in (["1,2", "3"], ["1,x"], [None]):
    try:
        print("total", total(*lines))
    except Exception:
        shown = traceback.format_exc()
        for line in shown.splitlines():
            if not line.lstrip().startswith("File"):
                print("|", line)
d = {"user": {"name": "x", "address": None}}
for attempt in ("d['user']['address']['city']", "d['user'].nme", "(1).foo", "undefined_name", "d.items()[0]", "'a' + 1", "[] + {}", "1 + '2'", "(lambda: 0)(1)", "[1][5]", "(1, 2)[3]", "{}[0]", "'abc'.joinn", "max([])", "[].pop()", "{}.popitem()",
                "int('x')", "float('y')", "'%d' % 'a'", "a, b = 1, 2, 3", "list(1)", "from math import sine", "''.encode('utf9')", "b'\\xff'.decode()", "chr(-1)", "ord('ab')", "range(1.5)", "{}['a'] + 1",
                "sum('ab')", "sorted([1, 'a'])", "{[]: 1}", "set([[]])", "iter(5)", "next(iter([]))", "object().x", "type('X', (), {})().y", "super().x", "isinstance(1, 'int')", "'{}{}'.format(1)", "'{a}'.format()", "[1, 2].index(3)", "bytes([256])", "del q", "raise 5", "assert 1 == 2, 'no'", "len(5)", "round('a')", "import json; json.loads('{bad')", "import json; json.loads('')", "d['usr']", "print(x := 5, y)"):
    try:
        exec(attempt)
    except Exception as error:
        print(f"{attempt:32} {type(error).__name__}: {error}")
sys.stdout.write("".join(traceback.format_exception_only(NameError, NameError("name 'prnt' is not defined", name="prnt"))))
print(traceback.format_list([("f.py", 3, "g", "x = 1")]))
