import pandas as pd
s = pd.DataFrame({"day": pd.date_range("2026-01-01", periods=120), "v": range(120)})
s["weekday"] = s.day.dt.day_name(); s["month"] = s.day.dt.strftime("%Y-%m"); s["weekend"] = s.day.dt.dayofweek >= 5
print(s.groupby("month").v.agg(["sum", "mean", "max"]).round(2)); print(s.groupby(["month", "weekend"]).v.mean().unstack().round(1)); print(s.pivot_table(index="weekday", values="v", aggfunc=["mean", "count"]).head(3))
print(s.loc[s.groupby("month").v.idxmax(), ["day", "v"]].to_dict("records")); print(s.set_index("day").v["2026-02"].sum(), s.set_index("day").resample("ME").v.last(), s.day.diff().value_counts())
