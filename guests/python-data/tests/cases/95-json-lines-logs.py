import io
import json
import pandas as pd

lines = "\n".join(json.dumps(row) for row in [
    {"ts": 1767261600, "level": "INFO", "ms": 12, "ctx": {"user": 1}},
    {"ts": 1767261605, "level": "ERROR", "ms": 250, "ctx": {"user": 2, "code": 500}},
    {"ts": 1767265300, "level": "INFO", "ms": 30},
    {"ts": 1767265399, "level": "WARN", "ms": None, "ctx": {}},
])
df = pd.read_json(io.StringIO(lines), lines=True, convert_dates=False)
df["at"] = pd.to_datetime(df["ts"], unit="s", utc=True)
print(df[["at", "level", "ms"]], df.dtypes.astype(str).to_dict())
context = pd.json_normalize(df["ctx"].map(lambda c: c if isinstance(c, dict) else {}).tolist())
print(df.drop(columns="ctx").join(context))
print(df.groupby("level")["ms"].agg(["count", "mean", "max"]), df["ms"].quantile([0.5, 0.95]).round(2).tolist())
print(df.set_index("at").groupby("level").resample("h")["ms"].sum().unstack(0).fillna(0))
print(pd.concat(pd.read_json(io.StringIO(lines), lines=True, chunksize=2))["level"].tolist(), pd.read_json(io.StringIO(lines), lines=True, nrows=1).shape)
print(df["level"].map({"INFO": 0, "WARN": 1, "ERROR": 2}).max(), df.loc[df["ms"].idxmax(), "level"], df["at"].diff().dt.total_seconds().tolist())
print(df[["level", "ms"]].to_json(orient="records", lines=True), df["at"].dt.strftime("%H:%M").value_counts().sort_index().to_dict())
