import io
import json
import pandas as pd

df = pd.DataFrame({"id": [1, 2], "name": ["Zoë", "it's \"q\""], "when": pd.to_datetime(["2026-01-02 03:04:05", None]), "x": [0.1 + 0.2, None], "ok": [True, False]}, index=["r1", "r2"])
for orient in ("columns", "index", "records", "split", "values"):
    text = df.to_json(orient=orient, date_format="iso", date_unit="s")
    print(orient, text)
    back = pd.read_json(io.StringIO(text), orient=orient)
    print(back.shape, back.dtypes.astype(str).tolist())
print(df.to_json(orient="records", lines=True), df.to_json(double_precision=3), df.to_json(orient="table", index=False)[:120])
print(pd.read_json(io.StringIO('{"a": {"0": 1}, "b": {"0": "2026-01-01"}}')).to_dict(), pd.read_json(io.StringIO('[{"d": "2026-01-01", "n": "007"}]'), dtype={"n": str}, convert_dates=["d"]).dtypes.astype(str).to_dict())
print(pd.read_json(io.StringIO("[1, 2, 3]"), typ="series").sum(), json.loads(df.to_json(default_handler=str))["x"], pd.Series({"a": 1}).to_json(), pd.Series([pd.Timedelta("1h")]).to_json(date_format="iso"))
for text in ("{", "nope", '{"a": [1, 2], "b": [1]}'):
    try:
        print(pd.read_json(io.StringIO(text)))
    except ValueError as error:
        print(type(error).__name__, error)
print(df.to_json(indent=2, orient="records"), json.dumps(df["id"].to_dict()), json.dumps({k: int(v) for k, v in df["id"].items()}))
