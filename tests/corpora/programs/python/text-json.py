import json, math, io
from collections import OrderedDict, namedtuple
from decimal import Decimal
from enum import Enum, IntEnum

data = {"text": "é\u2028\"\\\n\x00😀", "numbers": [1, -0.0, 1e100, 1.5e-9, 10**30, float("inf"), 0.1], "nested": {"a": [], "b": {}, "c": [[1, [2]]]}, 1: "int key", None: 2, True: 3, 2.5: 4}
for kwargs in ({}, {"ensure_ascii": False, "separators": (",", ":")}, {"indent": 2}, {"indent": "\t", "skipkeys": True}):
    print(json.dumps(data if "indent" not in kwargs else data["nested"], **kwargs))
print(json.dumps({"b": 1, "a": 2}, sort_keys=True), json.dumps(namedtuple("P", "x y")(1, 2)), json.dumps(IntEnum("L", "A")(1)), json.dumps((1, (2,))), json.dumps("</script>"))
text = '{"a": 1.10, "a": 2, "big": 123456789012345678901234567890, "e": 1E5, "u": "\\ud83d\\ude00 \\u00e9", "neg": -0, "inf": -Infinity, "list": [true, null]}'
print(json.loads(text), json.loads(text, parse_float=Decimal, parse_int=str, object_pairs_hook=list, parse_constant=lambda c: f"<{c}>"))
for bad in ('{"a": 1,}', "[1, 2", "{'a': 1}", '{"a" 1}', "nul", '"\t"', "[1] x", "01", '"\\x"', "", "[1,,2]", '{"a": undefined}', "// c\n1", '"\\ud800"', "1.", "+1", b"\xff", None, "[" * 5 + "}"):
    try: print(repr(json.loads(bad)))
    except (json.JSONDecodeError, TypeError, UnicodeDecodeError) as error: print(type(error).__name__, error, getattr(error, "pos", ""))
for bad in ({1, 2}, {"x": b"b"}, {(1, 2): 3}, float("nan"), Decimal("1"), object):
    try: print(json.dumps(bad, allow_nan=False))
    except (TypeError, ValueError) as error: print(type(error).__name__, error, getattr(error, "__notes__", ""))
loop = []; loop.append(loop)
try: json.dumps(loop)
except ValueError as error: print(error)
class Encoder(json.JSONEncoder):
    def default(self, o): return {"__set__": sorted(o)} if isinstance(o, set) else str(o) if isinstance(o, Decimal) else super().default(o)
print(Encoder(indent=1).encode({"s": {3, 1}, "d": Decimal("1.10")}), json.dumps([complex(1, 2)], default=lambda o: [o.real, o.imag]), list(json.JSONEncoder().iterencode([1, {"a": "b"}])), json.JSONDecoder().raw_decode('[1] tail'), json.dumps({"x": [1, 2]}, indent=0).encode())
stream = io.StringIO(); json.dump({"k": [1, None]}, stream); print(stream.getvalue(), json.load(io.BytesIO(stream.getvalue().encode("utf-16"))), [json.loads(line) for line in '{"a":1}\n[2]\n"x"'.splitlines()])
