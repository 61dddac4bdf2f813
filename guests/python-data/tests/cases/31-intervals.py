import pandas as pd
i = pd.interval_range(0, 6, freq=2)
print(i, i.get_indexer([1, 5, 9]), pd.Interval(0, 2).overlaps(pd.Interval(1, 3)), i.mid, pd.cut([1, 3, 5], i), pd.Series([1, 2, 3], index=i).loc[3], i.left.tolist(), 1 in i[0], pd.IntervalIndex.from_breaks([0, 1, 2]).length)
