import pandas as pd

raw = ["2026-01-15T09:30:00Z", "2026-01-15T09:30:00+02:00", "2026-01-15 09:30:00.123456-0500"]
print(pd.to_datetime(raw, utc=True, format="ISO8601").tolist())
print([pd.Timestamp(text).isoformat() for text in raw], pd.Timestamp(raw[2]).tz)
print(pd.to_datetime(["15/01/2026", "03/02/2026"], format="%d/%m/%Y").tolist(), pd.to_datetime("Jan 15, 2026 3:04 PM"))
print(pd.to_datetime(pd.Series([1768469400, 0]), unit="s", utc=True).tolist(), pd.to_datetime(1768469400123, unit="ms"))
print(pd.to_datetime(pd.DataFrame({"year": [2026], "month": [2], "day": [28]}))[0], pd.to_datetime("20260228", format="%Y%m%d"))
print(pd.to_datetime(["2026-02-30", "nope", None, "2026-02-28"], errors="coerce").tolist())
for text, format in (("2026-13-01", None), ("28.02.2026", "%Y-%m-%d")):
    try:
        pd.to_datetime(text, format=format)
    except ValueError as error:
        print(error)
t = pd.Timestamp("2026-01-15 09:30", tz="UTC")
print(t.timestamp(), t.value, t.to_pydatetime(), t.isoformat(timespec="milliseconds"), t.strftime("%d %B %Y, %I:%M %p %z"), t.tz_convert(None), t.to_julian_date())
print(pd.to_datetime("2026-W03-1", format="%G-W%V-%u"), pd.Timestamp.fromisocalendar(2026, 3, 1), pd.Timestamp(2026, 1, 31) + pd.DateOffset(months=1))
print(pd.Timestamp("2026-01-15", tz="Europe/London").tz_convert("Asia/Tokyo"), pd.Timestamp("now", tz="UTC").tz, pd.Timestamp("2026-06-01").tz_localize("Africa/Casablanca").utcoffset())
