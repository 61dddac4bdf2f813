import pandas as pd
df = pd.DataFrame({"month": ["Jan", "Jan", "Feb", "Feb"], "city": ["Rome", "Oslo", "Rome", "Oslo"], "sold": [10, 20, 30, 40]})
print(df.pivot(index="month", columns="city", values="sold"))
print(pd.pivot_table(df, index="month", columns="city", values="sold", aggfunc="sum", margins=True))
print(pd.crosstab(df.month, df.city), pd.crosstab(df.month, df.city, values=df.sold, aggfunc="mean", normalize="index"))
print(df.melt(id_vars="month"), df.set_index(["month", "city"]).unstack(), df.set_index(["month", "city"]).sold.unstack(fill_value=0).stack())
print(pd.get_dummies(df.city), df.set_index("city").T)
