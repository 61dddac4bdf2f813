import pandas as pd

times = pd.Series(pd.to_datetime(["2026-10-25 01:30", "2026-10-25 02:30", "2026-10-25 02:30", "2026-10-25 03:30"]))
for how in ("infer", "NaT", [True, True, False, False]):
    try:
        print(how, times.dt.tz_localize("Europe/Paris", ambiguous=how).tolist())
    except Exception as error:
        print(how, type(error).__name__, error)
spring = pd.Timestamp("2026-03-29 02:15")
for how in ("shift_forward", "shift_backward", "NaT", pd.Timedelta("1h")):
    print(how, spring.tz_localize("Europe/Paris", nonexistent=how))
try:
    spring.tz_localize("Europe/Paris")
except Exception as error:
    print(type(error).__name__, error)
day = pd.date_range("2026-10-25", periods=2, freq="D", tz="Europe/Paris")
print(day[1] - day[0], len(pd.date_range("2026-10-25", "2026-10-26", freq="h", tz="Europe/Paris", inclusive="left")))
print(pd.Timestamp("2026-10-24 12:00", tz="Europe/Paris") + pd.Timedelta(days=1), pd.Timestamp("2026-10-24 12:00", tz="Europe/Paris") + pd.DateOffset(days=1))
s = pd.Series(1, index=pd.date_range("2026-10-24", periods=72, freq="h", tz="Europe/Paris"))
print(s.resample("D").sum().tolist(), s.tz_convert("UTC").resample("D").sum().tolist(), s.groupby(s.index.date).sum().tolist())
