import pandas as pd

p = pd.period_range("2024Q4", "2026Q1", freq="Q")
s = pd.Series(range(1, len(p) + 1), index=p)
print(s, s.index.year.tolist(), s.groupby(s.index.year).sum())
print(s.to_timestamp().head(2), s.to_timestamp(how="end").index[0], s.index.asfreq("M", "end").astype(str).tolist())
print(pd.Period("2026-02", "M").days_in_month, pd.Period("2026-02", "M") + 3, pd.Period("2026-05", "M") - pd.Period("2026-02", "M"))
print((pd.Period("2026-12-31", "D").asfreq("W"), pd.Period("2026", "Y").start_time, pd.Period("2026", "Y").end_time))
df = pd.DataFrame({"when": pd.PeriodIndex(["2026-01", "2026-03", "2026-03"], freq="M"), "v": [1, 2, 3]})
monthly = df.groupby("when")["v"].sum().reindex(pd.period_range("2026-01", "2026-04", freq="M"), fill_value=0)
print(monthly, monthly.cumsum().tolist(), df["when"].dt.strftime("%b %y").tolist())
print(pd.period_range("2026-01-01", periods=3, freq="2W").astype(str).tolist(), pd.PeriodIndex(["2026Q1"], freq="Q-MAR")[0].start_time)
