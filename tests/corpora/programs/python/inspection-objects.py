import sys, types, weakref, gc, copy, operator, dis, io

class Meta(type):
    def __new__(meta, name, bases, namespace, **kwargs):
        cls = super().__new__(meta, name, bases, namespace); cls.registry = [*getattr(cls, "registry", []), name]; cls.options = kwargs
        return cls
    def __call__(cls, *args): print("creating", cls.__name__, args); return super().__call__(*args)
    def __contains__(cls, item): return item in cls.registry
    def __len__(cls): return len(cls.registry)
class Field:
    def __set_name__(self, owner, name): self.name = "_" + name
    def __get__(self, instance, owner): return self if instance is None else getattr(instance, self.name, None)
    def __set__(self, instance, value):
        if not isinstance(value, int): raise TypeError(f"{self.name[1:]} must be int, not {type(value).__name__}")
        setattr(instance, self.name, value)
class A(metaclass=Meta, option=1):
    n = Field()
    def __init_subclass__(cls, /, tag=None, **kw): cls.tag = tag; super().__init_subclass__(**kw)
    def __getattr__(self, name): return f"<{name}>"
    def __dir__(self): return ["n", "x"]
    def who(self): return "A"
class B(A): 
    def who(self): return "B" + super().who()
class C(A):
    def who(self): return "C" + super().who()
class D(B, C):
    def who(self): return "D" + super().who()
d = D(); d.n = 5
print(d.n, d.anything, d.who(), [k.__name__ for k in D.__mro__], D.registry, "B" in D, len(D), A.options, dir(d), vars(d))
try: d.n = "x"
except TypeError as error: print(error)
try: type("E", (A, D), {})
except TypeError as error: print(error)
class Vec:
    def __init__(self, *v): self.v = v
    def __matmul__(self, o): return sum(map(operator.mul, self.v, o.v))
    def __rmul__(self, k): return Vec(*(k * x for x in self.v))
    def __iter__(self): return iter(self.v)
    def __getitem__(self, key): return key
    def __eq__(self, o): return self.v == o.v
    def __bool__(self): return any(self.v)
    def __index__(self): return 2
    def __repr__(self): return f"Vec{self.v}"
    def __call__(self, *a, **k): return a, k
    def __length_hint__(self): return 3
v = Vec(1, 2)
print(v @ Vec(3, 4), 3 * v, [*v], v[1:2, ..., ::3], v == Vec(1, 2), bool(Vec(0)), "abc"[v], v(1, k=2), Vec.__hash__, operator.length_hint(v), hex(v))
ref = weakref.ref(d); finalized = []; weakref.finalize(d, finalized.append, "gone"); proxy = weakref.WeakValueDictionary(d=d)
print(ref() is d, len(proxy)); del d; gc.collect(); print(ref(), finalized, dict(proxy))
def gen():
    try:
        x = yield 1
        while True: x = yield x * 2
    except GeneratorExit: print("closed"); raise
    finally: print("finally")
g = gen(); print(next(g), g.send(5), g.gi_frame.f_locals, g.gi_running); g.close(); print(g.gi_frame)
ns = types.SimpleNamespace(a=1, b=[2]); print(ns, copy.deepcopy(ns) == ns, types.FunctionType(compile("a+1", "<s>", "eval"), {"a": 2})(), sys.getsizeof(1) > 0, type(lambda: 0), type(print), type(len.__call__), NotImplemented, Ellipsis)
out = io.StringIO(); dis.dis(lambda a, b: a + b, file=out); print([line.split()[1 if line.split()[0].isdigit() else 0] for line in out.getvalue().splitlines() if line.strip()])
