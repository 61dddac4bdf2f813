"""Cheapest conversions between currencies (Bellman-Ford) and arbitrage."""
from math import log, exp, inf
from itertools import permutations
import operator as op
from functools import reduce, partial

rates = {("USD", "EUR"): 0.92, ("EUR", "GBP"): 0.86, ("GBP", "USD"): 1.271, ("USD", "JPY"): 149.5, ("JPY", "EUR"): 0.00618, ("GBP", "CHF"): 1.11}
names = sorted({name for pair in rates for name in pair})

def best(source):
    distance, before = dict.fromkeys(names, inf), {}
    distance[source] = 0.0
    for _ in range(len(names) - 1):
        for (a, b), rate in rates.items():
            if distance[a] - log(rate) < distance[b] - 1e-12 and b != source:
                distance[b], before[b] = distance[a] - log(rate), a
    return {n: (exp(-d), n) for n, d in distance.items() if d < inf}, before

table, before = best("USD")
for name, (rate, _) in sorted(table.items()):
    path = [name]
    while path[-1] in before and len(path) < 9:
        path.append(before[path[-1]])
    print(f"USD->{name}: {rate:.6f} {' < '.join(path)}")
for cycle in permutations(names, 3):
    if cycle[0] == min(cycle) and all(pair in rates for pair in zip(cycle, cycle[1:] + cycle[:1])):
        print("cycle", "->".join(cycle), f"{reduce(op.mul, (rates[p] for p in zip(cycle, cycle[1:] + cycle[:1]))):.8f}")
to_pence = partial(round, ndigits=2)
print(to_pence(12.345), to_pence(number=0.125), to_pence)
print(op.itemgetter(1, -1)("abc"), op.attrgetter("real", "imag")(3j), op.methodcaller("upper")("x"), op.matmul.__name__, op.call(max, 1, 2))
print(1e16 + 1, 0.1 * 3, 1 / 3, 100 * 1.1, 5e-324, 1.7976931348623157e308 * 10, -0.0 == 0.0, 123456789.123456789, 1e21, 1e-5)
