import random, math, copy, statistics
from dataclasses import dataclass, field
from heapq import heappush, heappop
from collections import Counter

rng = random.Random(1234)
@dataclass(order=True)
class Event:
    at: float
    kind: str = field(compare=False)
    who: int = field(compare=False, default=0)
def bank(customers=60, tellers=2, mean_gap=1.0, mean_service=1.7):
    events, queue, free, waits, now = [], [], tellers, [], 0.0
    for n in range(customers): now += rng.expovariate(1 / mean_gap); heappush(events, Event(now, "arrive", n))
    arrived = {}
    while events:
        e = heappop(events)
        if e.kind == "arrive": arrived[e.who] = e.at; queue.append(e.who)
        else: free += 1
        while free and queue:
            who = queue.pop(0); free -= 1; waits.append(e.at - arrived[who]); heappush(events, Event(e.at + rng.gammavariate(2, mean_service / 2), "leave", who))
    return waits, e.at
waits, end = bank(); print(f"{statistics.fmean(waits):.6f} {max(waits):.6f} {end:.6f} {sum(w == 0 for w in waits)}")
inside = sum(rng.random() ** 2 + rng.random() ** 2 < 1 for _ in range(20_000)); print(4 * inside / 20_000)
walk = [0]
for _ in range(1000): walk.append(walk[-1] + rng.choice((-1, 1)))
print(min(walk), max(walk), walk[-1], Counter(map(abs, walk)).most_common(2))
def anneal(f, x, t=10.0):
    best = x
    while t > 1e-3:
        y = x + rng.gauss(0, t / 5)
        if f(y) < f(x) or rng.random() < math.exp((f(x) - f(y)) / t): x = y
        best = min(best, x, key=f); t *= 0.97
    return best
print(f"{anneal(lambda x: x * x + 10 * math.sin(3 * x), 5.0):.9f}")
def evolve(target="HELLO", size=40):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"; pop = ["".join(rng.choices(letters, k=len(target))) for _ in range(size)]
    for generation in range(500):
        pop.sort(key=lambda s: (-sum(map(str.__eq__, s, target)), s))
        if pop[0] == target: return generation
        pop = pop[:10] + ["".join(rng.choice(pair) if rng.random() > .05 else rng.choice(letters) for pair in zip(*rng.sample(pop[:15], 2))) for _ in range(size - 10)]
print("generations", evolve(), rng.getstate()[1][-1], [rng.randrange(5, 50, 5) for _ in range(5)], rng.normalvariate(), rng.lognormvariate(0, 1), rng.paretovariate(3), rng.weibullvariate(1, 2))
class LCG(random.Random):
    def seed(self, a=None, version=2): self.x = int(a or 1)
    def random(self): self.x = (self.x * 1103515245 + 12345) % 2**31; return self.x / 2**31
l = LCG(7); print(l.random(), l.randint(1, 100), l.sample(range(50), 4), l.shuffle(s := list("abcdef")), s)
matrix = [[rng.randint(-9, 9) for _ in range(4)] for _ in range(4)]
def det(m): return m[0][0] if len(m) == 1 else sum((-1) ** j * m[0][j] * det([r[:j] + r[j + 1:] for r in m[1:]]) for j in range(len(m)))
print(matrix, det(matrix), [list(c) for c in zip(*matrix)][0], sum(map(lambda a, b: a * b, matrix[0], matrix[1])))
