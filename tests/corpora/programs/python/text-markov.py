import random, re, zlib
from collections import defaultdict, Counter, deque
from itertools import pairwise, groupby, accumulate, tee, islice, cycle, compress, starmap, product, combinations_with_replacement as cwr

TEXT = """the sun rises and the sea is calm and the sun sets and the night is long
the night is dark and the sea is deep and the sun will rise again and the day is long"""
chain = defaultdict(Counter)
for line in TEXT.splitlines():
    for a, b in pairwise(["^", *line.split(), "$"]): chain[a][b] += 1
rng = random.Random(42)
def sentence():
    word, out = "^", []
    while True:
        word = rng.choices(list(chain[word]), weights=chain[word].values())[0]
        if word == "$" or len(out) > 15: return " ".join(out).capitalize() + "."
        out.append(word)
for _ in range(3): print(sentence())
print(chain["the"].most_common(3), chain["^"], sum(map(Counter.total, chain.values())))
def grams(items, n): window = deque(maxlen=n); return (tuple(window) for item in items if window.append(item) is None and len(window) == n)
print(Counter(grams(TEXT.split(), 3)).most_common(2), ["".join(g) for g in islice(grams("markov", 2), 4)])
print([(k, len(list(g))) for k, g in groupby(sorted(TEXT.split(), key=len), key=len)], list(accumulate([1, 2, 3], lambda a, b: a * b, initial=10)), list(compress("abcdef", cycle([1, 0, 0]))), list(starmap(pow, [(2, 3), (3, 2)])))
print(["".join(p) for p in product("ab", repeat=2)], list(cwr("xy", 2)), [list(i) for i in tee([1, 2])], rng.sample(sorted(set(TEXT.split())), 3), f"{rng.random():.12f}", rng.gauss(0, 1), rng.choice("abc"))
def caesar(text, k): return re.sub("[a-z]", lambda m: chr((ord(m[0]) - 97 + k) % 26 + 97), text)
secret = caesar(TEXT, 7); guess = max(range(26), key=lambda k: sum(caesar(secret, k).count(w) for w in ("the", "and")))
print(secret[:20], guess, caesar(secret, guess) == TEXT, "".join(sorted(TEXT)).strip()[-12:], len(zlib.compress(TEXT.encode(), 9)) < len(TEXT))
vowels = str.maketrans("aeiou", "AEIOU", "tn"); print(TEXT[:30].translate(vowels), TEXT.partition(" is "), TEXT.rpartition("sun")[2][:9], TEXT.find("zzz"), TEXT.count("the"), TEXT.split(maxsplit=2)[-1][:10], "x".join("abc"), "abc".removeprefix("a").removesuffix("c"), "aXbXc".rsplit("X", 1), "Hello World".swapcase(), "ab12".isalnum())
