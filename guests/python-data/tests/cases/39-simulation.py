import numpy as np
rng = np.random.default_rng(7)
walk = rng.choice([-1, 1], size=(1000, 50)).cumsum(axis=1)
print(walk.max(), walk.min(), (walk[:, -1] > 0).mean(), np.abs(walk).max(axis=1).mean().round(3), np.percentile(walk[:, -1], [5, 50, 95]))
x, y = rng.random(20000), rng.random(20000); print(round(4 * np.mean(x * x + y * y < 1), 4)); m = rng.random((60, 60)); print(np.allclose(m @ np.linalg.inv(m), np.eye(60)), np.trace(m).round(6), np.linalg.eigvals(m + m.T).real.max().round(6))
