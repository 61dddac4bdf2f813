import pandas as pd

sales = pd.DataFrame({
    "store": ["N", "N", "S", "S", "N", "S", "W"],
    "product": ["tea", "milk", "tea", "tea", "tea", "milk", "milk"],
    "units": [5, 2, 8, 1, 3, 6, 4],
    "price": [2.5, 1.2, 2.4, 2.4, 2.5, 1.25, 1.3],
})
sales["revenue"] = sales["units"] * sales["price"]
by = sales.groupby(["store", "product"], sort=True)
print(by["revenue"].sum())
print(by.agg(units=("units", "sum"), revenue=("revenue", "sum"), best=("price", "max")))
print(by["units"].sum().unstack("product", fill_value=0))
print(sales.groupby("store")["product"].apply(lambda s: ", ".join(sorted(set(s)))))
print(sales.groupby("product")["store"].nunique().sort_values(ascending=False))
print(sales.groupby("store", sort=False).first())
print(by.size().reset_index(name="rows"))
print(sales.groupby("store")["revenue"].cumsum().round(2).tolist())
print(by.ngroups, sorted(by.groups), by.get_group(("S", "tea"))["units"].tolist())
