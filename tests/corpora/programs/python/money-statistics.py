import statistics as st
from collections import Counter
import random

random.seed(20240229)
prices = [round(random.lognormvariate(3, 0.4), 2) for _ in range(200)]
print(prices[:6], len(prices))
print(f"mean {st.fmean(prices):.4f} median {st.median(prices)} mode {st.mode(map(int, prices))} stdev {st.stdev(prices):.6f}")
print([round(q, 3) for q in st.quantiles(prices, n=10, method="inclusive")])
xs = list(range(20)); ys = [3 * x + random.gauss(0, 2) for x in xs]
line = st.linear_regression(xs, ys)
print(f"{line.slope:.6f} {line.intercept:.6f} r={st.correlation(xs, ys):.8f} rank={st.correlation(xs, ys, method='ranked'):.4f}")
normal = st.NormalDist.from_samples(prices)
print(normal, f"{normal.cdf(30):.6f} {normal.inv_cdf(0.95):.4f} {(normal + 5).mean:.4f} {normal.overlap(st.NormalDist(20, 9)):.6f}")
print(st.multimode("aabbbcccd"), st.geometric_mean([54, 24, 36]), st.pvariance([1, 2, 3, 4]), st.median_grouped([52, 52, 53, 54]))
sample = random.sample(range(1000), 5), random.choices("abc", weights=[5, 3, 2], k=10), random.uniform(1, 2), random.randint(1, 6)
print(sample)
deck = list(range(10)); random.shuffle(deck)
print(deck, random.getrandbits(64), random.triangular(), random.expovariate(2), random.randbytes(4).hex(), random.binomialvariate(100, 0.3))
state = random.getstate(); first = random.random(); random.setstate(state)
print(first == random.random(), random.Random("seed").random(), random.Random(b"x").randrange(10, 100, 7), random.betavariate(2, 3), random.vonmisesvariate(0, 4))
kde = st.kde([1.0, 2.0, 4.0], h=0.5)
print(round(kde(2.0), 8), Counter(int(p) // 10 * 10 for p in prices).most_common(3))
for bad in (lambda: st.mean([]), lambda: st.stdev([1]), lambda: st.mode([])):
    try: bad()
    except st.StatisticsError as error: print(error)
