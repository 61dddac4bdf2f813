import pandas as pd

days = pd.DataFrame({"day": pd.date_range("2026-12-28", "2027-01-04", tz="Asia/Tokyo")})
days["iso"] = days["day"].dt.isocalendar().week
days["weekday"] = days["day"].dt.weekday
days["quarter"] = days["day"].dt.to_period("Q").astype(str)
days["weekend"] = days["day"].dt.dayofweek.isin([5, 6])
print(days)
print(days.groupby("iso", sort=False)["day"].agg(["min", "max"]))
print(days["day"].dt.is_year_start.tolist(), days["day"].dt.days_in_month.unique(), days["day"].dt.is_leap_year.any())
print(days["day"].dt.month_name(locale=None).unique().tolist(), (days["day"] + pd.offsets.MonthBegin()).dt.strftime("%F").unique().tolist())
print(pd.date_range("2026-01-01", periods=3, freq="WOM-2TUE").strftime("%F").tolist(), pd.date_range("2026", periods=3, freq="QS").strftime("%F").tolist())
print(pd.Timestamp("2026-05-15") + pd.offsets.QuarterEnd(), pd.offsets.Week(weekday=4).rollforward(pd.Timestamp("2026-05-15")), pd.Timestamp("2026-05-15") - pd.offsets.YearBegin())
print(pd.date_range("2026-02-25", periods=4, freq="B", tz="Europe/Rome")[-1], pd.infer_freq(pd.date_range("2026-01-31", periods=5, freq="ME")))
