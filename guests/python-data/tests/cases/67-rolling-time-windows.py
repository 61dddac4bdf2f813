import pandas as pd

at = pd.to_datetime(["2026-02-01 00:00", "2026-02-01 00:20", "2026-02-01 00:50", "2026-02-01 02:00", "2026-02-01 02:05"])
events = pd.DataFrame({"at": at, "bytes": [100, 250, 50, 400, 10], "host": ["a", "b", "a", "a", "b"]}).set_index("at")
print(events["bytes"].rolling("1h").sum(), events["bytes"].rolling("30min", closed="left").count().tolist())
print(events.groupby("host")["bytes"].rolling("1h").mean())
print(events["bytes"].rolling("1h").agg(["min", "max", "sum"]))
print(events.rolling("1h", min_periods=2)["bytes"].mean().tolist())
print(events["bytes"].expanding(2).mean().round(2).tolist(), events["bytes"].cumsum().tolist(), events["bytes"].cummax().tolist())
print(events["bytes"].rolling(2).cov(events["bytes"].shift(1)).round(1).tolist(), events["bytes"].rolling(3).skew().round(4).tolist())
indexer = pd.api.indexers.FixedForwardWindowIndexer(window_size=2)
print(events["bytes"].rolling(indexer, min_periods=1).sum().tolist())
print(events["bytes"].ewm(halflife="30min", times=events.index).mean().round(3).tolist())
