import json
import pandas as pd

rows = [
    {"country": "NO", "city": "Oslo", "year": 2024, "sales": 10},
    {"country": "NO", "city": "Oslo", "year": 2025, "sales": 12},
    {"country": "NO", "city": "Bergen", "year": 2025, "sales": 4},
    {"country": "IT", "city": "Rome", "year": 2024, "sales": 20},
    {"country": "IT", "city": "Rome", "year": 2025, "sales": 18},
]
df = pd.DataFrame(rows)
nested = {
    country: {city: dict(zip(part["year"].tolist(), part["sales"].tolist())) for city, part in group.groupby("city")}
    for country, group in df.groupby("country")
}
print(json.dumps(nested, indent=1, sort_keys=True))
growth = df.pivot(index="city", columns="year", values="sales")
growth["change"] = growth[2025] - growth[2024]
print(growth)
print(json.dumps(json.loads(growth.to_json(orient="index"))))
print(df.groupby("country").apply(lambda g: g.set_index("city")["sales"].to_dict(), include_groups=False).to_dict())
print(df.groupby(["country", "city"])["sales"].agg(list).reset_index().to_dict("records"))
