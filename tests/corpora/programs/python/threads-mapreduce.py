from concurrent.futures import ThreadPoolExecutor
from collections import Counter
from functools import reduce
from itertools import batched, chain
import re

TEXT = """It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of foolishness,
it was the epoch of belief, it was the epoch of incredulity, it was the season of Light, it was the season of Darkness."""

def mapper(lines):
    return Counter(chain.from_iterable(re.findall(r"[a-z']+", line.lower()) for line in lines))

def merge(a: Counter, b: Counter) -> Counter:
    return a + b

parts = list(batched(TEXT.split(","), 3))
with ThreadPoolExecutor(max_workers=3) as pool:
    counts = reduce(merge, pool.map(mapper, parts), Counter())
print(len(parts), len(parts[-1]))
print(counts.most_common(4))
print(counts.total(), len(counts), counts["missing"])
print((counts - Counter(it=7, was=3)).most_common(2), counts & Counter(["it", "zebra"]))
index = {}
for number, part in enumerate(parts):
    for word in mapper(part):
        index.setdefault(word, set()).add(number)
print(sorted(word for word, places in index.items() if len(places) == len(parts)))
with ThreadPoolExecutor() as pool:
    histogram = sorted(Counter(pool.map(len, counts)).items())
print(histogram)
print(max(counts, key=lambda w: (len(w), w)), "".join(sorted(set("".join(counts)))))
