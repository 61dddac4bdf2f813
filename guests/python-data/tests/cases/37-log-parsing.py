import re
import pandas as pd
lines = ["2026-01-01 10:00:01 ERROR db timeout after 30ms", "2026-01-01 10:00:05 INFO web ok in 12ms", "2026-01-01 10:01:09 ERROR db timeout after 45ms", "garbage"]
df = pd.Series(lines).str.extract(r"^(?P<at>\S+ \S+) (?P<level>\w+) (?P<part>\w+) (?P<text>.*?)(?: (?:after|in) (?P<ms>\d+)ms)?$").dropna(subset=["at"])
df["at"] = pd.to_datetime(df["at"]); df["ms"] = pd.to_numeric(df["ms"])
print(df, df.groupby(["level", "part"]).ms.agg(["count", "mean"]), df.set_index("at").resample("1min").size(), df[df.level == "ERROR"].text.value_counts(), df.ms.max())
