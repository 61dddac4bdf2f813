import pandas as pd
d = pd.to_datetime(pd.Series(["2026-01-31", "2026-02-28 13:45", "2026-12-25"]), format="mixed")
print(d.dt.year.tolist(), d.dt.month_name().tolist(), d.dt.dayofweek.tolist(), d.dt.quarter.tolist(), d.dt.strftime("%d.%m.%y").tolist(), d.dt.date.tolist()[0], d.dt.isocalendar())
print(d + pd.Timedelta(days=3, hours=2), d + pd.offsets.MonthEnd(1), d - d.shift(), (d.max() - d.min()).days, pd.Timestamp("2026-03-01") + pd.DateOffset(months=1))
print(pd.date_range("2026-01-01", periods=3, freq="MS"), pd.bdate_range("2026-01-01", "2026-01-08"), pd.period_range("2026Q1", periods=3, freq="Q"))
print(pd.to_datetime("31/12/2026", dayfirst=True), pd.to_datetime(["x", "2026-01-01"], errors="coerce"), pd.to_datetime(1767225600, unit="s"), pd.Timestamp("2026-01-01").isoformat())
print(d.dt.floor("D").tolist(), d.dt.normalize().iloc[1], pd.Timedelta("1 days 02:03:04").total_seconds(), pd.to_timedelta(["1h", "2min"]), d.dt.to_period("M").tolist())
print(d.dtype, pd.Timestamp("2026-01-01 10:00").round("h"), pd.NaT, pd.isna(pd.NaT), d.dt.is_month_end.tolist())
