import pprint, reprlib, sys
from collections import OrderedDict, defaultdict, Counter, deque, ChainMap, UserDict
from types import SimpleNamespace, MappingProxyType
from dataclasses import dataclass

data = {"name": "A fairly long text that has to be wrapped somewhere, since it has more than eighty characters in it", "list": list(range(40)), "nested": {"z": {"y": {"x": {"w": [1, 2, 3]}}}}, "tuple": (1,), "set": {3, 1, 2}, "bytes": b"\x00\xff" * 30, "none": None}
pprint.pprint(data)
pprint.pprint(data, width=50, compact=True, depth=2, sort_dicts=False, indent=3)
pprint.pp({"b": 1, "a": [{"k": "v" * 30, "n": 10_000_000}] * 2}, underscore_numbers=True)
@dataclass
class Point: x: int; label: str = "l" * 50; children: tuple = ()
pprint.pprint([Point(1), Point(2, children=(Point(3),)), defaultdict(list, a=[1]), Counter("hello"), deque([1, 2], 3), OrderedDict(b=1, a=2), ChainMap({1: 2}), SimpleNamespace(a=1, b="x" * 70), MappingProxyType({"a": 1}), frozenset("a"), UserDict(x=1)])
loop = [1]; loop.append({"self": loop}); print(pprint.pformat(loop).split(" with id")[0], pprint.isrecursive(loop), pprint.isreadable(loop), repr(loop), pprint.saferepr({"a": 1}))
print(reprlib.repr(list(range(100))), reprlib.repr("x" * 100), reprlib.repr({n: n for n in range(10)}), reprlib.Repr(maxlevel=1, maxtuple=2).repr((1, (2, (3,)), 4)))
class Tree:
    @reprlib.recursive_repr("<...>")
    def __repr__(self): return f"Tree({self.child!r})"
tree = Tree(); tree.child = tree; print(tree, [tree])
print([1.0, 1e16, 1e-5, 123456789.0, -0.0, 1e15, float("nan"), 1j, complex(-0.0, 2), "it's", 'say "x"', "both ' and \"", b"it's", True, ..., range(3), slice(1, None), {}, set(), frozenset(), (), bytearray(b"x"), memoryview(b"").nbytes])
print({"a": {1: (2, [3, {4}])}}, [[]], ({},), {(): []}, "\u00e9\u0301\u200b\u2029\ue000\U0001f600", "tab\t", "\x85", repr("\ud800"), 'a\\b', type(1), len, print, [].append.__name__, int.__add__, str.join, object, Ellipsis, NotImplemented, type(None), lambda: 0 and None) if False else print({"a": {1: (2, [3, {4}])}}, "\x85".encode(), ["\u200b\u2029\ue000", "\x85\t", "\ud800"], [type(1), len, int.__add__, type(None)])
pprint.pprint("word " * 30, width=40); pprint.pprint(["a" * 30, {"k" * 40: "v" * 40}], width=60); pprint.pprint({(1, 2): "t", "s": 1, 3: None})
