import copy, pickle, io, shelve, marshal, array, types, weakref, functools, numbers, decimal

class Node:
    def __init__(self, name, parent=None): self.name, self.parent, self.children = name, parent, []; parent and parent.children.append(self)
    def __repr__(self): return f"{self.name}{self.children or ''}"
root = Node("root"); a, b = Node("a", root), Node("b", root); Node("c", a)
deep = copy.deepcopy(root); shallow = copy.copy(root); print(deep, deep.children[0].parent is deep, shallow.children is root.children, deep.children[0] is a)
back = pickle.loads(pickle.dumps(root)); print(back, back.children[1].parent is back, len(pickle.dumps(root, 0)) > len(pickle.dumps(root, 5)))
class Custom:
    __slots__ = ("x", "cache")
    def __init__(self, x): self.x, self.cache = x, object()
    def __getstate__(self): return {"x": self.x}
    def __setstate__(self, state): self.x = state["x"]; self.cache = "rebuilt"
    def __deepcopy__(self, memo): return Custom(copy.deepcopy(self.x, memo) + ["deep"])
    def __copy__(self): return Custom([*self.x, "copy"])
c = pickle.loads(pickle.dumps(Custom([1]))); print(c.x, c.cache, copy.copy(c).x, copy.deepcopy(c).x)
class Reduced:
    def __init__(self, n): self.n = n
    def __reduce__(self): return (Reduced, (self.n + 1,))
print(pickle.loads(pickle.dumps(Reduced(1))).n, pickle.loads(pickle.dumps(functools.partial(int, base=2)))("101"), pickle.loads(pickle.dumps(decimal.Decimal("1.10"))), pickle.loads(pickle.dumps([len, str.upper, range(3), {1, 2}, b"x", 1j, ..., None])))
for bad in (lambda: pickle.dumps(lambda: 0), lambda: pickle.loads(b"garbage"), lambda: pickle.loads(b""), lambda: pickle.dumps(x for x in []), lambda: copy.deepcopy(open("/tmp/q", "w")), lambda: pickle.loads(pickle.dumps([1])[:-1]), lambda: pickle.dumps(types.ModuleType("m"))):
    try: bad()
    except Exception as error: print(type(error).__name__, str(error).split(" at 0x")[0])
class Safe(pickle.Unpickler):
    def find_class(self, module, name):
        if (module, name) == ("builtins", "range"): return super().find_class(module, name)
        raise pickle.UnpicklingError(f"{module}.{name} is forbidden")
print(Safe(io.BytesIO(pickle.dumps(range(5)))).load())
try: Safe(io.BytesIO(pickle.dumps(Node("x")))).load()
except pickle.UnpicklingError as error: print(error)
class P(pickle.Pickler):
    def persistent_id(self, obj): return ("node", obj.name) if isinstance(obj, Node) else None
class U(pickle.Unpickler):
    def persistent_load(self, pid): return f"<{pid[0]} {pid[1]}>"
f = io.BytesIO(); P(f).dump({"n": root, "l": [a]}); f.seek(0); print(U(f).load())
buffers = []; data = pickle.dumps(pickle.PickleBuffer(bytearray(b"big")), protocol=5, buffer_callback=buffers.append); print(len(buffers), bytes(pickle.loads(data, buffers=buffers)))
print(marshal.loads(marshal.dumps((1, "a", [2.5, None]))), array.array("i", [1, 2]) == pickle.loads(pickle.dumps(array.array("i", [1, 2]))), array.array("i").itemsize, copy.deepcopy({"a": [1], "t": (1, [2])}), copy.replace(types.SimpleNamespace(a=1, b=2), b=3), isinstance(decimal.Decimal(1), numbers.Number), isinstance(1, numbers.Rational))
memo = {}; l = [1]; print(copy.deepcopy([l, l], memo)[0] is copy.deepcopy([l, l], memo)[1], pickle.DEFAULT_PROTOCOL, [op.name for op, *_ in __import__("pickletools").genops(pickle.dumps((1, "a"), 2))])
try:
    with shelve.open("/tmp/shelf") as s: s["k"] = [1]; print(s["k"])
except Exception as error: print(type(error).__name__)
