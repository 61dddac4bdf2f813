import numpy as np
import pandas as pd

rng = np.random.default_rng(2026)
df = pd.DataFrame({
    "height": rng.normal(170, 10, 200).round(1),
    "weight": rng.gamma(9, 8, 200).round(1),
    "kids": rng.poisson(1.4, 200),
    "city": rng.choice(["Rome", "Oslo", "Lima"], 200, p=[0.5, 0.3, 0.2]),
    "joined": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, 200), unit="D"),
})
print(df.describe().round(3))
print(df.describe(include="all", percentiles=[0.1, 0.9]).round(2).to_string())
print(df.describe(include=["object", "str"]), df["city"].value_counts(normalize=True).round(3).to_dict())
print(df.groupby("city")["weight"].describe().round(2))
print(df.select_dtypes("number").agg(["mean", "std", "skew", "kurt", "median"]).round(3))
print(df[["height", "weight", "kids"]].corr().round(4), df[["height", "weight"]].cov().round(3))
df.info(memory_usage=False)
print(df["kids"].value_counts().sort_index().to_dict(), df["kids"].mode().tolist(), df.nunique().to_dict(), df["joined"].min(), df["height"].idxmax())
