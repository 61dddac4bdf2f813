import math
import numpy as np
import pandas as pd

print(np.nan == np.nan, math.isnan(np.nan), None is pd.NA, pd.isna([None, np.nan, pd.NaT, pd.NA, "", 0]).tolist())
a = pd.Series([1, None, 3], dtype=float)
print((a == a).tolist(), a.equals(a.copy()), a.eq(a, fill_value=0).tolist(), (a != 3).tolist(), a.isin([np.nan, 3]).tolist())
print(a.add(pd.Series([1, 1, None]), fill_value=0).tolist(), (a + 1).tolist(), a.sum(), a.sum(min_count=3), a.prod(), a.mean())
print(np.nanmean([1, np.nan]), np.nanstd([1, 3, np.nan]), np.nanpercentile([1, 2, np.nan], 50), np.mean([1, np.nan]), np.nanargmax([np.nan, 2, 1]))
print(pd.Series([np.nan, "a", None]).value_counts(dropna=False), pd.Series([None, None]).dtype, pd.Series([np.nan, None]).isna().all())
print(pd.DataFrame({"k": ["a", None, "a"], "v": [1, 2, 3]}).groupby("k", dropna=False)["v"].sum(), pd.Series([3, np.nan, 1]).sort_values(na_position="first").tolist())
print(pd.merge(pd.DataFrame({"k": [1, np.nan]}), pd.DataFrame({"k": [np.nan, 1], "v": ["n", "o"]}), on="k"))
print(pd.Series([1, 2, np.nan]).astype("Int64").tolist(), pd.Series([np.inf, 1, -np.inf]).replace([np.inf, -np.inf], np.nan).dropna().tolist())
print(np.isclose([np.nan], [np.nan], equal_nan=True), np.unique([np.nan, np.nan, 1]), np.sort([3, np.nan, 1]), max([1.0, np.nan]), np.fmax([1, np.nan], [np.nan, 2]))
