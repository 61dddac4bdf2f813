import pandas as pd

index = pd.MultiIndex.from_tuples([("DE", 2024, "a"), ("DE", 2025, "a"), ("FR", 2024, "b"), ("FR", 2025, "a")], names=["country", "year", "kind"])
s = pd.Series([1.5, 2.5, 3.5, 4.5], index=index, name="value")
print(s.unstack())
print(s.unstack(["year", "kind"]))
print(s.unstack("country").swaplevel().sort_index())
df = s.reset_index()
print(df.pivot(index="country", columns=["year", "kind"], values="value"))
print(df.pivot_table(index="country", columns="year", values="value", observed=True).add_prefix("y").rename_axis(columns=None).reset_index())
print(s.groupby(level=["country", "year"]).sum().loc["FR"])
print(s.xs(("DE", "a"), level=["country", "kind"]), s.sort_index(ascending=[False, True, True]).index[0])
print(s.to_frame().T.stack(level="year").shape, s.index.get_level_values("year").unique().tolist())
