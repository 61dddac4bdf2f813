import pandas as pd

s = pd.Series([100.0, 130.0, 90.0], index=pd.to_datetime(["2026-01-31", "2026-02-28", "2026-03-31"]))
print(s.resample("SMS").ffill().tail(4))
daily = s.resample("D").interpolate()
print(daily["2026-02-10":"2026-02-13"].round(3), len(daily))
print(s.resample("10D").bfill(), s.resample("15D").asfreq(), s.resample("W").nearest().head(3))
print(s.to_period("M"))
print(s.shift(1, freq="MS").index.tolist(), s.shift(freq="2D").index[0], s.asfreq("ME").index.freqstr)
print(s.reindex(pd.date_range("2026-01-31", "2026-02-03"), method="ffill"))
print(s.resample("YE").sum(), s.resample("QE-NOV").last(), s.resample("BME").first())
print(pd.Series([1, 2], index=pd.to_timedelta(["0min", "90min"])).resample("30min").ffill())
