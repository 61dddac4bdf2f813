import io
import json
import pandas as pd
rows = [{"id": 1, "user": {"name": "Ann", "tags": ["a", "b"]}, "v": 1.5}, {"id": 2, "user": {"name": "Bob", "tags": []}, "v": None}]
print(pd.json_normalize(rows), pd.DataFrame(rows).to_json(orient="records"), pd.json_normalize(rows, record_path=["user", "tags"], meta="id"))
df = pd.DataFrame({"d": pd.to_datetime(["2026-01-01"]), "n": [1], "s": ["é"], "f": [0.1]})
for orient in ("records", "split", "index", "columns", "values", "table"):
    print(df.to_json(orient=orient, date_format="iso"))
print(pd.read_json(io.StringIO('[{"a":1,"b":"x"},{"a":2,"b":null}]')), pd.read_json(io.StringIO('{"a":1}\n{"a":2}'), lines=True), df.to_dict("records"), df.to_dict("list"))
print(json.dumps(df.n.tolist()), json.loads(df.to_json())["f"], pd.Series([1, 2], index=["a", "b"]).to_json())
