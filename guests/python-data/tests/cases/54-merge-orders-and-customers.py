import pandas as pd

customers = pd.DataFrame({"id": [1, 2, 3, 4], "name": ["Ann", "Bob", "Cid", "Dot"], "city": ["Rome", "Oslo", "Lima", "Oslo"]})
orders = pd.DataFrame({"order": [10, 11, 12, 13], "customer": [1, 1, 3, 9], "total": [25.0, 75.5, 10.0, 99.0]})
full = orders.merge(customers, left_on="customer", right_on="id", how="left", indicator=True)
print(full)
print(full[full["_merge"] == "left_only"]["order"].tolist())
spent = customers.merge(orders.groupby("customer", as_index=False)["total"].sum(), left_on="id", right_on="customer", how="left").drop(columns="customer")
spent["total"] = spent["total"].fillna(0)
print(spent.sort_values(["total", "name"], ascending=[False, True]))
print(spent.groupby("city")["total"].agg(["sum", "mean"]))
print(customers[~customers["id"].isin(orders["customer"])]["name"].tolist())
print(customers.set_index("id").join(orders.set_index("customer")[["total"]], how="inner"))
print(pd.merge(customers, orders, left_on="id", right_on="customer", how="outer")[["name", "order"]])
