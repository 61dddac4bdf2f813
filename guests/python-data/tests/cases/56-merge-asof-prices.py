import pandas as pd

trades = pd.DataFrame({"at": pd.to_datetime(["2026-03-02 10:00:01", "2026-03-02 10:00:04", "2026-03-02 10:00:09"]), "symbol": ["X", "Y", "X"], "size": [100, 50, 20]})
quotes = pd.DataFrame({"at": pd.to_datetime(["2026-03-02 10:00:00", "2026-03-02 10:00:03", "2026-03-02 10:00:05", "2026-03-02 10:00:08"]), "symbol": ["X", "Y", "Y", "X"], "bid": [9.9, 5.1, 5.2, 10.1]})
print(pd.merge_asof(trades, quotes, on="at", by="symbol"))
print(pd.merge_asof(trades, quotes, on="at", by="symbol", tolerance=pd.Timedelta("1s")))
print(pd.merge_asof(trades, quotes, on="at", direction="nearest", suffixes=("", "_q"))[["at", "bid", "symbol_q"]])
print(pd.merge_asof(trades, quotes, on="at", by="symbol", direction="forward", allow_exact_matches=False)["bid"].tolist())
print(pd.merge_ordered(trades[["at", "size"]], quotes[["at", "bid"]], on="at", fill_method="ffill"))
both = pd.merge_asof(trades, quotes, on="at", by="symbol")
both["value"] = both["size"] * both["bid"]
print(both.groupby("symbol")["value"].sum(), both["value"].sum().round(2))
