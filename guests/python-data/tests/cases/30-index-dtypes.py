import numpy as np
import pandas as pd
df = pd.DataFrame({"a": [3, 1, 2]})
print(df.index, pd.Index([1, 2]), pd.RangeIndex(3), pd.Index(["a"]), pd.Index([1.5]), df.a.argsort(), pd.Index([3, 1]).get_indexer([1, 3]), pd.Series([1, 2, 2]).value_counts(), df.a.factorize()[0].dtype, np.argsort(df.a.values).dtype, df.a.searchsorted(2), df.groupby("a").indices, pd.Index([1, 2, 3]).isin([2]), df.a.sum().dtype, type(df.a.sum()), df.a.nunique(), len(df), df.size)
print(pd.Series([1, 2], dtype="int32").sum().dtype, pd.Series([1, 2]).mean().dtype, (df.a > 1).sum(), df.a.idxmin(), pd.array([1, 2]), pd.Index([1]).dtype, df.a.to_numpy().dtype, df.reset_index().dtypes.tolist(), df.a.diff().dtype, df.a.shift(fill_value=0).dtype, df.a.cumsum().dtype, pd.Series([True, False]).sum(), pd.Series([], dtype="int64").sum())
