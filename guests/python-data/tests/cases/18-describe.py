import numpy as np
import pandas as pd
df = pd.DataFrame({"n": np.arange(10), "f": np.linspace(0, 1, 10), "s": list("aabbccddee"), "d": pd.date_range("2026-01-01", periods=10)})
print(df.describe(), df.describe(include="all"), df.s.describe(), df.d.describe())
df.info()
print(df.memory_usage(deep=False), df.corr(numeric_only=True), df.f.quantile([0.1, 0.9]), df.n.skew(), df.f.std(), df.n.var(), df.f.sem(), df.n.kurt(), df.shape, df.nunique())
print(df.n.value_counts().head(2), df.s.value_counts(normalize=True), df.s.mode().tolist(), df.n.mad() if hasattr(df.n, "mad") else "", df.agg({"n": ["min", "max"], "f": ["mean"]}))
