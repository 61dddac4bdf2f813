import pandas as pd
df = pd.DataFrame({"g": list("aaabbb"), "v": [1, 2, 3, 4, 5, 6]})
df["roll"] = df.groupby("g").v.transform(lambda s: s.rolling(2, min_periods=1).mean())
df["share"] = df.v / df.groupby("g").v.transform("sum")
df["prev"] = df.groupby("g").v.shift()
print(df, df.groupby("g").v.rolling(2).sum(), df.v.rolling(3, center=True).median().tolist(), df.v.rolling(2).apply(lambda w: w.max() - w.min()).tolist(), df.v.rolling(3).corr(df.share).round(3).tolist(), df.v.rolling(3).quantile(0.5).tolist(), df.v.rolling(2).agg(["sum", "std"]), df.groupby("g").v.expanding().mean().round(2).tolist(), df.v.ewm(alpha=0.5, adjust=False).mean().tolist(), df.v.rolling(3, win_type=None).var().tolist())
