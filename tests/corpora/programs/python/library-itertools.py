from itertools import *
from operator import *
import functools, math, cmath, fractions, decimal, copy, sys

print([*chain("ab", [1]), *islice(count(10, 2.5), 3)], list(zip_longest("ab", "c", fillvalue="-")), list(takewhile(lambda x: x < 3, count())), list(dropwhile(str.isalpha, "ab1c")), list(filterfalse(None, [0, 1, ""])), list(repeat("x", 2)), list(batched("abcdefg", 3)))
print(len(list(permutations(range(5), 3))), list(combinations("abcd", 2))[-1], sum(1 for _ in product(range(3), repeat=4)), list(pairwise([1, 4, 9])), list(accumulate([3, 1, 4, 1, 5], max)), [k + str(len([*g])) for k, g in groupby("aaabbc")])
def sieve(n):
    flags = bytearray([1]) * (n + 1); flags[:2] = b"\0\0"
    for i in range(2, math.isqrt(n) + 1):
        if flags[i]: flags[i * i::i] = bytes(len(range(i * i, n + 1, i)))
    return list(compress(range(n + 1), flags))
print(sieve(60), len(sieve(100_000)))
def queens(n):
    return sum(len({c + r for r, c in enumerate(p)}) == len({c - r for r, c in enumerate(p)}) == n for p in permutations(range(n)))
print([queens(n) for n in range(1, 8)])
@functools.lru_cache(None)
def partitions(n, m=None): m = n if m is None else m; return 1 if n == 0 else sum(partitions(n - k, k) for k in range(1, min(n, m) + 1))
print(partitions(60), functools.reduce(lambda a, x: a * 31 + x, [1, 2, 3], 7), math.perm(10, 3), math.dist((0, 0), (3, 4)), math.hypot(1, 2, 3), math.log2(10), math.log1p(1e-10), math.remainder(10, 3), math.fmod(-7, 3), math.frexp(10), math.gamma(5.5), math.erf(0.5), round(math.cbrt(27), 12), math.trunc(-2.5), math.copysign(1, -0.0), math.atan2(-0.0, -1), math.degrees(1), math.exp2(0.5), math.fma(2, 3, 4), math.lgamma(100))
print(cmath.sqrt(-1), cmath.polar(1 + 1j), cmath.exp(1j * math.pi), (2 + 3j) ** 2, abs(3 + 4j), (1 + 2j).conjugate(), complex("1e3-2j"), 1j ** 1j)
def solve(puzzle):
    letters = "".join(sorted({c for c in puzzle if c.isalpha()})); words = puzzle.replace("==", "+").split("+"); heads = {w.strip()[0] for w in words}
    for digits in permutations("0123456789", len(letters)):
        if any(d == "0" and l in heads for l, d in zip(letters, digits)): continue
        if eval(puzzle.translate(str.maketrans(letters, "".join(digits)))): return dict(zip(letters, digits))
print(solve("AB + BA == CDC"), solve("TO + GO == OUT"))
@functools.cache
def collatz(n): return 1 if n == 1 else 1 + collatz(n // 2 if n % 2 == 0 else 3 * n + 1)
print(max(range(1, 3000), key=collatz), collatz(27), attrgetter("__class__.__name__")(5), methodcaller("split", ",")("a,b"), itemgetter(slice(1, 3))("abcd"), countOf([1, 2, 1], 1), indexOf("abc", "c"), concat([1], [2]), truth([]), is_not(1, 2), inv(5), index(True))
for bad in (lambda: math.sqrt(-1), lambda: math.factorial(-1), lambda: math.log(0), lambda: math.exp(1000), lambda: cmath.log(0), lambda: 0 ** -1, lambda: list(batched("ab", 0)), lambda: next(islice([1], -1)), lambda: int(float("nan")), lambda: math.comb(2, -1), lambda: 1 << -1, lambda: decimal.Decimal(1) % 0, lambda: round(float("inf")), lambda: math.isqrt(-1)):
    try: print(bad())
    except Exception as error: print(type(error).__name__, error)
