import numpy as np
import pandas as pd
df = pd.DataFrame({"a": [1, np.nan, 3], "b": [None, "x", "y"], "c": [np.nan] * 3})
print(df.isna().sum(), df.dropna(how="all", axis=1), df.fillna({"a": 0, "b": "?"}), df.a.interpolate().tolist(), df.ffill(), df.bfill(), df.notna().all(axis=1))
print(df.a.mean(), df.a.sum(skipna=False), df.dropna(subset=["a"]).index.tolist(), df.count(), df.a.astype("Int64"), pd.array([1, None]), pd.NA | True, df.dtypes)
print(df.a.combine_first(pd.Series([9, 9, 9])).tolist(), df.a.where(df.a > 1, -1).tolist(), df.a.mask(df.a > 1).tolist(), df.replace({"x": "z"}).b.tolist())
