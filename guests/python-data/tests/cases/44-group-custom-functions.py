import numpy as np
import pandas as pd

df = pd.DataFrame({"class": ["A", "A", "B", "B", "B", "C"], "score": [88, 92, 79, 93, 85, 60], "weight": [1, 3, 2, 2, 1, 1]})

def weighted(group):
    return np.average(group["score"], weights=group["weight"])

def spread(values):
    return values.quantile(0.75) - values.quantile(0.25)

print(df.groupby("class")[["score", "weight"]].apply(weighted).round(3))
print(df.groupby("class")["score"].agg(["min", "max", ("spread", spread), ("middle", "median")]))
df["z"] = df.groupby("class")["score"].transform(lambda s: (s - s.mean()) / s.std(ddof=0) if len(s) > 1 else 0.0)
print(df.round(4))
print(df.groupby("class").agg({"score": ["mean", "std"], "weight": "sum"}).round(2))
print(df.groupby("class")["score"].quantile([0.25, 0.5, 0.9]))
print(df.groupby(df["score"] >= 85)["weight"].sum().rename({True: "high", False: "low"}))
