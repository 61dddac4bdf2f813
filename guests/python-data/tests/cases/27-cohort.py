import pandas as pd
orders = pd.DataFrame({"user": [1, 1, 2, 2, 3, 1], "day": pd.to_datetime(["2026-01-05", "2026-02-07", "2026-01-20", "2026-03-02", "2026-02-11", "2026-03-30"]), "amount": [10, 20, 15, 25, 30, 5]})
orders["month"] = orders.day.dt.to_period("M")
orders["first"] = orders.groupby("user").month.transform("min")
orders["age"] = (orders.month - orders["first"]).map(lambda d: d.n)
print(orders, orders.groupby(["first", "age"]).user.nunique().unstack(fill_value=0), orders.groupby("month").amount.sum().pct_change().round(3), orders.sort_values("day").groupby("user").amount.cumsum().tolist())
print(orders.groupby(pd.Grouper(key="day", freq="MS")).amount.agg(["sum", "count"]), orders.groupby("user").day.agg(lambda d: (d.max() - d.min()).days), orders.groupby("user").head(1), orders.groupby("user").nth(-1))
