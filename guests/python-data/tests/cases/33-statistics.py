import numpy as np
import pandas as pd
x = np.array([2.0, 4, 4, 4, 5, 5, 7, 9]); y = x * 2 + np.array([0, 1, 0, -1, 0, 1, 0, -1])
print(x.std(), x.std(ddof=1), np.var(x), np.cov(x, y).round(4), np.corrcoef(x, y)[0, 1].round(6), np.quantile(x, 0.3, method="linear"), np.average(x, weights=y).round(6), np.ptp(x), np.histogram(x, bins=[0, 4, 8, 10])[0])
df = pd.DataFrame({"x": x, "y": y}); print(df.corr(method="spearman") if False else df.corr(method="kendall") if False else df.corr(), df.cov(), (df - df.mean()) / df.std(), df.x.autocorr().round(6), df.quantile([0.25, 0.75]), df.x.cumsum().tolist(), df.rank().tail(2))
z = (x - x.mean()) / x.std(); print(z.round(4), np.abs(z) > 1.5, np.cumsum(x)[::2], np.gradient(x), np.argsort(-x, kind="stable"), np.lexsort((x, -y)), np.partition(x, 3)[:3])
