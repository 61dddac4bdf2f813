import pandas as pd

utc = pd.Series(pd.to_datetime(["2026-03-28 22:30", "2026-03-29 00:59", "2026-03-29 01:00", "2026-10-25 00:30", "2026-10-25 01:30"]), name="utc").dt.tz_localize("UTC")
table = pd.DataFrame({"utc": utc, "berlin": utc.dt.tz_convert("Europe/Berlin"), "ny": utc.dt.tz_convert("America/New_York"), "delhi": utc.dt.tz_convert("Asia/Kolkata")})
print(table.to_string())
print(table.dtypes)
print(table["berlin"].map(lambda t: t.utcoffset().total_seconds() / 3600).tolist(), table["berlin"].dt.tz)
print(table["berlin"].dt.hour.tolist(), table["ny"].dt.strftime("%a %H:%M %Z").tolist(), table["delhi"].dt.date.tolist())
print((table["berlin"] == table["utc"]).all(), (table["ny"].dt.tz_localize(None) - table["utc"].dt.tz_localize(None)).tolist())
print(table["berlin"].dt.normalize().tolist()[1], table["berlin"].dt.floor("h", ambiguous="NaT").iloc[4], table.groupby(table["berlin"].dt.date).size())
print(utc.dt.tz_convert("Australia/Lord_Howe").map(lambda t: t.isoformat()).tolist())
