import pandas as pd

orders = pd.DataFrame(
    [
        {"customer": "Ada", "region": "EU", "amount": 120.5, "items": 3},
        {"customer": "Bob", "region": "US", "amount": 80.0, "items": 1},
        {"customer": "Ada", "region": "EU", "amount": 40.25, "items": 2},
        {"customer": "Cy", "region": "EU", "amount": 300.0, "items": 7},
        {"customer": "Bob", "region": "US", "amount": 15.75, "items": 1},
        {"customer": "Dee", "region": "APAC", "amount": 99.99, "items": 4},
    ]
)
summary = (
    orders.groupby(["region", "customer"])
    .agg(total=("amount", "sum"), orders=("amount", "size"), items=("items", "sum"), average=("amount", "mean"))
    .reset_index()
    .sort_values("total", ascending=False)
)
summary["share"] = (summary["total"] / summary["total"].sum() * 100).round(1)
print(summary.to_string(index=False))
for region, group in summary.groupby("region"):
    best = group.nlargest(1, "total").iloc[0]
    print(f"{region}: {best['customer']} with {best['total']:.2f} ({best['share']}%)")
print(orders.groupby("region")["amount"].agg(lambda s: s.max() - s.min()).to_dict())
