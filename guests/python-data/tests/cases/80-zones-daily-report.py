import pandas as pd

orders = pd.DataFrame({
    "at": ["2026-03-07T23:30:00-05:00", "2026-03-08T01:30:00-05:00", "2026-03-08T03:30:00-04:00", "2026-03-09T00:10:00-04:00"],
    "total": [10.0, 20.0, 30.0, 40.0],
})
orders["at"] = pd.to_datetime(orders["at"], utc=True)
orders["local"] = orders["at"].dt.tz_convert("America/New_York")
print(orders)
print(orders.groupby(orders["local"].dt.date)["total"].agg(["sum", "count"]))
print(orders.groupby(orders["at"].dt.date)["total"].sum().to_dict())
print(orders.set_index("local")["total"].resample("D").sum(), orders.set_index("local").index.tz)
print(orders["local"].diff().tolist(), orders["local"].dt.day_name().tolist(), orders["at"].max() - orders["at"].min())
print(orders.to_json(orient="records", date_format="iso"), orders.to_csv(index=False))
print(orders[orders["local"] >= "2026-03-08 03:00"]["total"].tolist(), orders[orders["local"].between("2026-03-08", "2026-03-09")].index.tolist())
print(orders.set_index("local").loc["2026-03-08", "total"].tolist(), orders["local"].dt.ceil("D").tolist()[1])
