import pandas as pd
s = pd.Series(["low", "high", "low", "mid"]).astype(pd.CategoricalDtype(["low", "mid", "high"], ordered=True))
print(s, s.min(), s.sort_values().tolist(), s.cat.codes.tolist(), s.value_counts(), (s > "low").tolist(), pd.cut([1, 5, 9], bins=[0, 3, 6, 10], labels=["s", "m", "l"]), pd.qcut(range(8), 4), pd.cut([1, 2, 3], 2, retbins=True)[1].round(3))
print(s.groupby(s, observed=False).size(), s.cat.rename_categories({"low": "L"}).tolist(), pd.factorize(pd.Series(["b", "a", "b"])), s.cat.categories, pd.Categorical(["a", None]).isna(), s.memory_usage(index=False))
