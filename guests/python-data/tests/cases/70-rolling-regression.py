import numpy as np
import pandas as pd

x = pd.Series(np.arange(12, dtype=float))
y = 3 * x + 2 + pd.Series([0.5, -0.5, 0.25, -0.25, 0.1, -0.1] * 2)
slope, intercept = np.polyfit(x, y, 1)
print(round(slope, 6), round(intercept, 6))
beta = y.rolling(5).cov(x) / x.rolling(5).var()
print(beta.round(4).tolist())
matrix = np.column_stack([np.ones(len(x)), x])
coefficients, residuals, rank, _ = np.linalg.lstsq(matrix, y, rcond=None)
print(coefficients.round(6), residuals.round(6), rank)
fit = matrix @ coefficients
r2 = 1 - ((y - fit) ** 2).sum() / ((y - y.mean()) ** 2).sum()
print(round(r2, 6), np.sqrt(((y - fit) ** 2).mean()).round(6))
print(pd.DataFrame({"x": x, "y": y}).corr().round(6), y.diff().describe().round(4))
print(np.convolve(y, np.ones(3) / 3, mode="valid").round(3), np.gradient(y).round(3)[:4], np.cumsum(y)[::4].round(2).tolist())
