import numpy as np
import pandas as pd

values = pd.Series([3, 7, 7, 2, 9, 4, 7, 1, 8, 6, 5, 7, 100])
print(values.describe(), values.quantile([0.05, 0.25, 0.5, 0.75, 0.95]).tolist())
print(values.mean().round(4), values.median(), values.mode()[0], values.var().round(4), values.std(ddof=0).round(4), values.sem().round(4), values.skew().round(4))
trimmed = values[values.between(*values.quantile([0.05, 0.95]))]
print(trimmed.mean().round(4), (values - values.median()).abs().median(), values.nunique(), values.is_unique, values.is_monotonic_increasing)
counts = pd.cut(values, [0, 3, 6, 9, np.inf]).value_counts().sort_index()
for interval, count in counts.items():
    print(f"{str(interval):<14} {'*' * count} {count / len(values):.0%}")
print(np.histogram(values, bins="auto")[0], np.histogram_bin_edges(values, bins="sturges").round(2), np.percentile(values, [10, 90], method="nearest"))
print(values.rank(pct=True).round(3).tolist(), values.value_counts(bins=3).tolist(), np.bincount(values[values < 10]).tolist())
a, b = values[:6], values[6:12]
pooled = np.sqrt((a.var() + b.var()) / 2)
print(((b.mean() - a.mean()) / pooled).round(4), np.corrcoef(a, b)[0, 1].round(6), a.reset_index(drop=True).corr(b.reset_index(drop=True), method="pearson").round(6))
print(pd.DataFrame({"v": values}).eval("big = v > 8").groupby("big")["v"].agg(["count", "sum"]), (values.cumsum() / values.sum()).round(3).tolist())
