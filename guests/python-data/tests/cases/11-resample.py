import pandas as pd
s = pd.Series(range(10), index=pd.date_range("2026-01-01", periods=10, freq="12h"))
print(s.resample("D").sum(), s.resample("2D").mean(), s.resample("W").count(), s.asfreq("D"))
print(s.shift(1).head(2), s.diff().tolist(), s.pct_change().round(3).tolist()[:4], s.rolling(3).mean().tolist(), s.rolling("1D").sum().tolist())
print(s.expanding().max().tolist(), s.ewm(span=3).mean().round(4).tolist(), s.resample("D").agg(["min", "max"]), s.resample("D").ohlc())
print(s.loc["2026-01-02"], s.between_time("00:00", "06:00").size, s.to_period("D").index[:2], s.index.day_name()[:3].tolist())
