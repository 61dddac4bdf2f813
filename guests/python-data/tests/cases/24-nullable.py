import pandas as pd
df = pd.DataFrame({"i": pd.array([1, None, 3], dtype="Int64"), "b": pd.array([True, None, False], dtype="boolean"), "s": pd.array(["a", None, "c"], dtype="string"), "f": pd.array([1.5, None, 2.5], dtype="Float64")})
print(df, df.dtypes, df.i.sum(), df.b.any(), df.s.str.upper(), df.f / 0, df.convert_dtypes().dtypes, df.i + 1, df.i == 1, df.isna().values.tolist(), df.groupby("b", dropna=False).i.sum())
