import pandas as pd

clicks = pd.DataFrame({
    "user": ["u1", "u1", "u1", "u2", "u1", "u2", "u2"],
    "at": pd.to_datetime(["2026-06-01 10:00", "2026-06-01 10:10", "2026-06-01 11:30", "2026-06-01 10:05", "2026-06-01 11:35", "2026-06-01 10:06", "2026-06-02 09:00"]),
    "page": ["home", "buy", "home", "home", "exit", "buy", "home"],
}).sort_values(["user", "at"])
gap = clicks.groupby("user")["at"].diff()
clicks["session"] = (gap.isna() | (gap > pd.Timedelta(minutes=30))).groupby(clicks["user"]).cumsum()
print(clicks)
sessions = clicks.groupby(["user", "session"]).agg(start=("at", "min"), end=("at", "max"), pages=("page", "count"), path=("page", " > ".join))
sessions["length"] = sessions["end"] - sessions["start"]
print(sessions.to_string())
print(sessions["length"].dt.total_seconds().describe().round(1))
print(sessions.groupby("user")["length"].mean(), sessions["length"].sum())
print(clicks.set_index("at").groupby("user")["page"].resample("h").count().unstack(0).fillna(0).astype(int).head(3))
print(clicks.groupby("page")["user"].nunique().to_dict(), clicks.groupby("user")["page"].shift(-1).tolist())
