import numpy as np
import pandas as pd

df = pd.DataFrame({"a": [1, np.nan, 3, np.nan], "b": ["x", None, "", "y"], "c": pd.to_datetime(["2026-01-01", None, "2026-01-03", None]), "d": [True, None, False, True], "e": [1, 2, 3, 4]})
report = pd.DataFrame({"missing": df.isna().sum(), "percent": (df.isna().mean() * 100).round(1), "dtype": df.dtypes.astype(str), "unique": df.nunique()})
print(report.sort_values("missing", ascending=False))
print(df.isna().any(axis=1).tolist(), df.dropna().index.tolist(), df.dropna(thresh=4).index.tolist(), df.dropna(axis=1).columns.tolist())
print(df.fillna({"a": df["a"].mean(), "b": "unknown", "c": pd.Timestamp("2026-02-01"), "d": False}))
print(df["a"].fillna(df["e"] * 10).tolist(), df["c"].ffill().tolist(), df["b"].replace("", np.nan).isna().sum())
print(df.isna().astype(int).corr().loc[["a", "b"], ["a", "c"]], df.notna().sum().sum(), df["a"].count(), len(df))
print(df["a"].sum(), df["a"].mean(), df["a"].max(), df["a"].min(skipna=False), df["a"].cumsum().tolist(), df["a"].std())
print(df.convert_dtypes().dtypes, df["d"].astype("boolean").fillna(False).sum())
