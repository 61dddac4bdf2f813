import pandas as pd

log = pd.DataFrame({
    "at": pd.to_datetime(["2026-01-05 08:10", "2026-01-05 09:40", "2026-01-06 08:30", "2026-01-12 17:05", "2026-02-02 08:59", "2026-02-03 17:45"]),
    "kind": ["login", "login", "error", "login", "error", "login"],
})
log["day"] = log["at"].dt.day_name()
log["hour"] = log["at"].dt.hour
heat = log.pivot_table(index="day", columns="hour", values="kind", aggfunc="count", fill_value=0)
print(heat.reindex(["Monday", "Tuesday"]))
print(log.pivot_table(index=log["at"].dt.to_period("M"), columns="kind", aggfunc="size", fill_value=0))
print(log.groupby([pd.Grouper(key="at", freq="W-SUN"), "kind"]).size().unstack(fill_value=0))
print(log.groupby(log["at"].dt.strftime("%Y-W%V"))["kind"].agg(["size", "nunique"]))
print(log.set_index("at")["kind"].eq("error").resample("MS").mean().round(3))
print(heat.sum(axis=1).idxmax(), heat.sum().idxmax())
