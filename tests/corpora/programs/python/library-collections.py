from collections import *
from collections.abc import Sequence, MutableSequence, Set, Mapping
import heapq, bisect, copy, operator, functools

class Ring(MutableSequence):
    def __init__(self, *items): self.items = list(items)
    def __len__(self): return len(self.items)
    def __getitem__(self, i): return self.items[i % len(self.items)] if isinstance(i, int) else self.items[i]
    def __setitem__(self, i, v): self.items[i] = v
    def __delitem__(self, i): del self.items[i]
    def __iter__(self): return iter(self.items)
    def insert(self, i, v): self.items.insert(i, v)
    def __repr__(self): return f"Ring{tuple(self.items)}"
ring = Ring(1, 2, 3); ring += [4]; ring.reverse(); print(ring, ring[7], ring.pop(), 3 in ring, ring.index(4), list(reversed(ring)), ring.count(4), isinstance(ring, Sequence))
d = deque(range(5), maxlen=5); d.rotate(2); d.append(9); d.appendleft(7); print(d, d.index(4), d.count(9)); d.extendleft("ab"); print(d)
od = OrderedDict.fromkeys("abc", 0); od.move_to_end("a"); print(od, od.popitem(last=False), OrderedDict(a=1, b=2) == OrderedDict(b=2, a=1), {"a": 1} | {"b": 2})
tree = lambda: defaultdict(tree); t = tree(); t["a"]["b"]["c"] = 1; print(t["a"].keys(), "z" in t, len(t["z"]), dict(t).keys())
c = Counter(a=3, b=-1); c.update("aab"); c.subtract({"b": 5}); print(c, +c, -c, c.elements().__next__(), c | Counter(z=1), c.total(), Counter("ab") <= Counter("aab"))
class LowerDict(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.lower(), v)
    def __missing__(self, k): return f"no {k}"
l = LowerDict(A=1); l.update(B=2); print(l, l["zz"], "a" in l, l | {"C": 3})
heap = [5, 1, 8, 3]; heapq.heapify(heap); print(heap, heapq.heappushpop(heap, 0), heapq.nsmallest(2, ["bb", "a", "ccc"], key=len), heapq.nlargest(2, heap), list(heapq.merge([1, 4], [2, 3], reverse=False)), heapq.heapreplace(heap, 10), heap)
heapq.heapify_max(m := [1, 5, 2]); print(heapq.heappop_max(m), m)
grades = [bisect.bisect([60, 70, 80, 90], s) for s in (55, 60, 89, 100)]; print(["FDCBA"[g] for g in grades], bisect.bisect_left([1, 2, 2, 3], 2), bisect.insort(s := [1, 3], 2), s, bisect.bisect([{"k": 1}, {"k": 5}], 3, key=operator.itemgetter("k")))
print({1, 2} ^ {2, 3}, {1} < {1, 2}, frozenset([1]) | {2}, {1: "a", True: "b", 1.0: "c"}, dict(zip("ab", (1, 2), strict=True)), [*range(10)][::-3], sorted({"b": 1, "a": 2}.items(), key=operator.itemgetter(1)), dict.fromkeys([1, 2]), {**{"a": 1}, "a": 2})
for bad in (lambda: dict(zip("ab", (1,), strict=True)), lambda: deque([1]).remove(2), lambda: [1, 2, 3].remove(9), lambda: {}.pop("x"), lambda: Ring(1).pop(5), lambda: namedtuple("N", "class x"), lambda: heapq.heappop([]), lambda: [1][::0], lambda: {k: 1 for k in [[]]}, lambda: operator.setitem((1,), 0, 2)):
    try: print(bad())
    except Exception as error: print(type(error).__name__, error)
changing = {1: 1}
try:
    for k in changing: changing[k + 1] = 1
except RuntimeError as error: print(error)
N = namedtuple("N", "x y z", defaults=[0], rename=False); print(N(1, 2), N._make([1, 2, 3])._replace(x=5), N.__doc__, copy.copy(N(1, 2)) == (1, 2, 0), functools.reduce(operator.or_, [{1}, {2}]))
