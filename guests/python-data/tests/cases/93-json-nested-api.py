import json
import pandas as pd

answer = json.loads("""{"page": 1, "items": [
 {"id": 7, "owner": {"login": "ann", "plan": {"name": "pro"}}, "labels": [{"name": "bug"}, {"name": "p1"}], "closed": null},
 {"id": 8, "owner": {"login": "bob", "plan": {"name": "free"}}, "labels": [], "closed": "2026-02-01T10:00:00Z"},
 {"id": 9, "owner": {"login": "ann", "plan": null}, "labels": [{"name": "bug"}], "closed": "2026-02-03T10:00:00Z"}]}""")
df = pd.json_normalize(answer["items"], sep="_")
print(df.columns.tolist(), df[["id", "owner_login", "owner_plan_name"]])
labels = pd.json_normalize(answer["items"], record_path="labels", meta=["id", ["owner", "login"]], record_prefix="label.")
print(labels, labels.groupby("label.name")["id"].apply(list).to_dict())
df["closed"] = pd.to_datetime(df["closed"])
print(df["closed"].tolist(), df.groupby("owner_login")["closed"].agg(["count", "max"]))
df["label_names"] = df["labels"].map(lambda ls: [l["name"] for l in ls])
print(df[df["label_names"].map(lambda n: "bug" in n)]["id"].tolist())
print(pd.json_normalize({"a": {"b": {"c": 1, "d": [1, 2]}}}, max_level=1).to_dict("records"), pd.DataFrame(answer["items"]).shape)
print(json.dumps(df[["id", "closed"]].assign(closed=df["closed"].dt.strftime("%F")).where(df["closed"].notna(), None).to_dict("records")))
