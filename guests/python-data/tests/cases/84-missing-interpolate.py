import numpy as np
import pandas as pd

s = pd.Series([1.0, np.nan, np.nan, 4.0, np.nan, 9.0, np.nan], index=[0, 1, 2, 3, 5, 8, 9])
for how in ("linear", "index", "pad"):
    try:
        print(how, s.interpolate(how).round(3).tolist())
    except Exception as error:
        print(how, type(error).__name__, error)
print(s.interpolate(limit=1).tolist(), s.interpolate(limit_direction="both").tolist(), s.interpolate(limit_area="inside").tolist())
print(s.ffill(limit=1).tolist(), s.bfill().tolist(), s.fillna(s.median()).tolist(), s.where(s.notna(), -1).tolist())
df = pd.DataFrame({"g": ["a", "a", "b", "b", "b"], "v": [1.0, np.nan, np.nan, 4.0, 6.0]})
df["mean"] = df.groupby("g")["v"].transform(lambda x: x.fillna(x.mean()))
df["ffill"] = df.groupby("g")["v"].ffill()
print(df)
print(df.groupby("g")["v"].agg(["count", "size", "sum", "mean"]), df.groupby("g")["v"].sum(min_count=2).tolist())
print(pd.DataFrame({"x": [np.nan, 2, np.nan], "y": [1, np.nan, 3]}).interpolate(axis=1).values.tolist())
print(s.first_valid_index(), s.last_valid_index(), s.isna().astype(int).groupby(s.notna().cumsum()).sum().tolist(), np.interp([1, 2], [0, 3], [1, 4]))
