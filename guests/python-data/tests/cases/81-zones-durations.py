import datetime as dt
import pandas as pd

shifts = pd.DataFrame({"start": pd.to_datetime(["2026-05-04 22:00", "2026-05-05 06:15"]), "end": pd.to_datetime(["2026-05-05 06:30", "2026-05-05 14:45"])})
shifts["length"] = shifts["end"] - shifts["start"]
print(shifts, shifts["length"].dt.total_seconds().div(3600).tolist(), shifts["length"].sum(), shifts["length"].mean())
print(shifts["length"].dt.components[["hours", "minutes"]].values.tolist(), (shifts["length"] / pd.Timedelta(hours=1)).round(2).tolist())
print(pd.Timedelta("1 day 2 hours 3 min").isoformat(), pd.Timedelta(minutes=90) * 2, pd.Timedelta("90min") // pd.Timedelta("1h"), pd.Timedelta("90min") % pd.Timedelta("1h"))
print(pd.to_timedelta(["00:10:00", "1 days", "5s", None]).tolist(), pd.to_timedelta([1.5, 2], unit="h").tolist(), str(pd.Timedelta(seconds=-1)))
age = pd.Timestamp("2026-11-30") - pd.to_datetime(pd.Series(["1990-11-30", "2000-02-29"]))
print((age.dt.days // 365.25).astype(int).tolist(), age.tolist())
from dateutil.relativedelta import relativedelta
print(relativedelta(dt.date(2026, 11, 30), dt.date(1990, 12, 1)), pd.Timestamp("2024-02-29") + pd.DateOffset(years=1))
print(pd.date_range("2026-01-31", periods=4, freq="ME").strftime("%d.%m").tolist(), pd.date_range("2026-01-01", "2026-01-02", periods=5).tolist()[1], pd.timedelta_range("0h", "1h", freq="20min").astype(str).tolist())
print(shifts["start"].dt.round("h").tolist(), shifts["start"].dt.time.tolist(), pd.Timestamp("2026-05-04").replace(hour=5).day_of_year, pd.Timestamp("2026-05-04").week)
