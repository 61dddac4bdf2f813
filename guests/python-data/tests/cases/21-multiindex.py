import pandas as pd
i = pd.MultiIndex.from_product([["x", "y"], [1, 2]], names=["k", "n"])
s = pd.Series([1, 2, 3, 4], index=i)
print(s, s.loc["x"], s.xs(1, level="n"), s.unstack(), s.groupby(level="k").sum(), s.swaplevel().sort_index(), s.reset_index(name="v"), i.get_level_values(0), s.loc[("y", 2)], s.to_frame("v").T)
df = s.unstack(); df.columns = [f"c{c}" for c in df.columns]; print(df, df.stack(), i.to_flat_index().tolist(), s.index.names, s.index.droplevel(0).tolist())
