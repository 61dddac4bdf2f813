import pandas as pd

df = pd.DataFrame({
    "shop": ["a"] * 5 + ["b"] * 4,
    "day": list(pd.date_range("2026-03-01", periods=5)) + list(pd.date_range("2026-03-01", periods=4)),
    "sold": [3, 5, 2, 8, 7, 10, 0, 4, 6],
})
df["last2"] = df.groupby("shop")["sold"].rolling(2, min_periods=1).mean().reset_index(level=0, drop=True)
df["lag"] = df.groupby("shop")["sold"].shift(1)
df["change"] = df.groupby("shop")["sold"].diff()
df["running"] = df.groupby("shop")["sold"].cumsum()
df["best"] = df.groupby("shop")["sold"].cummax()
print(df)
print(df.groupby("shop").rolling("2D", on="day")["sold"].sum())
print(df.groupby("shop")["sold"].ewm(span=2).mean().round(3).unstack(0))
print(df.groupby("shop")["sold"].expanding().max().reset_index(level=0, drop=True).tolist())
print(df.pivot(index="day", columns="shop", values="sold").rolling(2).sum())
print(df.groupby("shop")["sold"].agg(lambda s: s.rolling(3).mean().max()).round(3).to_dict())
streak = df["sold"].gt(4).groupby(df["shop"]).transform(lambda s: s.groupby((~s).cumsum()).cumsum())
print(streak.tolist())
