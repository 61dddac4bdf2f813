from functools import reduce
import pandas as pd

stock = pd.DataFrame({"sku": ["A1", "B2", "C3"], "stock": [5, 0, 12]})
price = pd.DataFrame({"sku": ["A1", "B2", "D4"], "price": [9.99, 4.5, 1.25]})
sold = pd.DataFrame({"sku": ["A1", "A1", "C3"], "sold": [1, 2, 3]}).groupby("sku", as_index=False).sum()
table = reduce(lambda left, right: left.merge(right, on="sku", how="outer"), [stock, price, sold])
print(table)
table[["stock", "sold"]] = table[["stock", "sold"]].fillna(0).astype(int)
table["revenue"] = (table["price"] * table["sold"]).fillna(0.0)
print(table, table.dtypes.to_dict())
print(table.query("stock == 0 or price.isna()")["sku"].tolist())
update = pd.DataFrame({"price": [4.0]}, index=["B2"])
indexed = table.set_index("sku")
indexed.update(update)
print(indexed["price"])
print(indexed.combine_first(pd.DataFrame({"price": [7.0]}, index=["C3"]))["price"].to_dict())
print(indexed.compare(table.set_index("sku")))
