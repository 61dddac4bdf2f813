import numpy as np
rng = np.random.default_rng(42)
print(rng.integers(0, 100, 5), rng.normal(size=3).round(6), rng.choice(["a", "b", "c"], 4), rng.permutation(5), rng.random(2).round(8))
np.random.seed(0)
print(np.random.rand(3).round(6), np.random.randint(0, 10, 5), np.random.randint(5, size=2).dtype, np.random.poisson(3, 3), np.random.binomial(10, 0.5, 2).dtype)
print(np.random.randn(2).round(6), np.random.choice(5, 3, replace=False), np.random.shuffle([1]), np.random.permutation(4), np.random.multinomial(10, [0.2, 0.8]))
print(rng.exponential(2, 2).round(6), rng.poisson(4, 3), round(rng.beta(1, 2), 6), rng.multivariate_normal([0, 0], np.eye(2)).round(6))
