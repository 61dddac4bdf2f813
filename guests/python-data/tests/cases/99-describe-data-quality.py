import pandas as pd

df = pd.DataFrame({
    "id": [1, 2, 2, 4, 5],
    "email": ["a@x.org", "b@x", None, "d@x.org", "D@X.ORG"],
    "age": [34, -1, 27, 130, 41],
    "start": pd.to_datetime(["2026-01-01", "2026-05-01", "2026-02-01", "2026-03-01", None]),
    "end": pd.to_datetime(["2026-02-01", "2026-04-01", None, "2026-03-01", None]),
})
checks = {
    "duplicate id": df["id"].duplicated(keep=False),
    "bad email": ~df["email"].str.fullmatch(r"[^@\s]+@[^@\s]+\.[a-zA-Z]+", na=False),
    "impossible age": ~df["age"].between(0, 120),
    "ends before it starts": df["end"] < df["start"],
    "same email": df["email"].str.lower().duplicated(keep=False) & df["email"].notna(),
}
found = pd.DataFrame(checks)
print(found.sum().sort_values(ascending=False), found.any(axis=1).mean())
print(found.apply(lambda row: [name for name, bad in row.items() if bad], axis=1).tolist())
print(df[~found.any(axis=1)], df.loc[found["impossible age"], ["id", "age"]].to_dict("records"))
try:
    assert df["id"].is_unique, f"{df['id'].duplicated().sum()} duplicates"
except AssertionError as error:
    print("failed:", error)
try:
    df.set_index("id", verify_integrity=True)
except ValueError as error:
    print(error)
print(df.describe(include="all").loc[["count", "unique", "min", "max"]].to_string(), df.sample(frac=1, random_state=0)["id"].tolist())
