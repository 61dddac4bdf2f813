import pandas as pd
t = pd.Timestamp("2026-03-29 01:30", tz="Europe/Berlin")
print(t, t.tz_convert("America/New_York"), t + pd.Timedelta(hours=1), t.utcoffset(), t.tz_convert("UTC"))
s = pd.Series(pd.date_range("2026-10-24", periods=3, freq="D", tz="Europe/Paris"))
print(s, s.dt.tz_convert("Asia/Tokyo"), s.dt.tz_localize(None), s.dt.hour.tolist(), s.diff().tolist())
print(pd.to_datetime("2026-07-01T12:00:00Z"), pd.to_datetime("2026-07-01T12:00:00+02:00"), pd.DatetimeIndex(["2026-01-01"]).tz_localize("US/Pacific"))
try:
    pd.Timestamp("2026-03-29 02:30").tz_localize("Europe/Berlin")
except Exception as error:
    print(type(error).__name__, error)
print(pd.Timestamp("2026-01-01", tz="dateutil/Europe/London"), pd.Timestamp("2026-06-01", tz="dateutil/Europe/London").utcoffset())
