import json
import numpy as np
import pandas as pd

df = pd.DataFrame({"month": pd.date_range("2026-01-01", periods=4, freq="MS"), "a": [1, 3, np.nan, 7], "b": [2.5, 1.5, 4.0, np.inf]})
series = [{"name": column, "data": [None if not np.isfinite(v) else float(v) for v in df[column]]} for column in ("a", "b")]
print(json.dumps({"labels": df["month"].dt.strftime("%b").tolist(), "series": series}))
print(df.replace([np.inf], np.nan).astype(object).where(lambda d: d.notna(), None).to_dict("list"))
print(json.dumps(df["a"].fillna(0).astype(int).tolist()), json.dumps({str(k): v for k, v in df.set_index("month")["a"].items()}, default=str))
counts, edges = np.histogram([1, 2, 2, 3, 9], bins=4)
print(json.dumps({"counts": counts.tolist(), "edges": edges.tolist()}))
try:
    json.dumps({"n": np.int64(1)})
except TypeError as error:
    print(error)
class Encoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, np.generic):
            return o.item()
        if isinstance(o, np.ndarray):
            return o.tolist()
        if isinstance(o, pd.Timestamp):
            return o.isoformat()
        return super().default(o)
print(json.dumps({"n": np.int64(1), "f": np.float32(0.5), "b": np.bool_(True), "l": np.arange(3), "t": pd.Timestamp("2026-01-01")}, cls=Encoder))
print(df[["a"]].describe().round(3).to_json(), df.corr(numeric_only=True).isna().values.tolist())
