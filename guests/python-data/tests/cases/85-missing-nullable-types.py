import pandas as pd

df = pd.DataFrame({"id": pd.array([1, 2, None, 4], dtype="Int64"), "ok": pd.array([True, None, False, None], dtype="boolean"), "name": pd.array(["a", None, "c", "d"], dtype="string"), "x": pd.array([0.5, None, 1.5, 2.5], dtype="Float64")})
print(df, df.dtypes, df.isna().sum().to_dict())
print((df["id"] > 1).tolist(), df[df["id"] > 1]["id"].tolist(), df["id"].sum(), df["id"].mean(), (df["id"] + df["x"]).tolist())
print((df["ok"] & True).tolist(), (df["ok"] | True).tolist(), (~df["ok"]).tolist(), df["ok"].sum(), df["ok"].fillna(False).all())
print(df["name"].str.upper().tolist(), df["name"].str.len().dtype, (df["name"] == "a").tolist(), df["name"].fillna("?").str.cat(sep=""))
print(df["id"].astype("float64").tolist(), df["id"].to_numpy(dtype=float, na_value=-1).tolist(), df["id"].fillna(0).astype("int64").dtype)
try:
    df["id"].astype("int64")
except (ValueError, TypeError) as error:
    print(type(error).__name__, error)
print(pd.NA == 1, pd.NA & False, pd.isna(pd.NA), pd.Series([1, pd.NA]).dtype, pd.Series([1, None]).dtype, pd.Series([1, None], dtype="Int64").max())
print(df.groupby("ok", dropna=False)["id"].sum(), df.sort_values("id", na_position="first")["id"].tolist(), df["id"].value_counts(dropna=False).sort_index().tolist())
print(df.to_json(orient="records"), df.to_csv(index=False, na_rep="NULL"), df["id"].rank().tolist(), df["x"].round().tolist(), df["id"].shift().tolist())
