import pandas as pd
df = pd.DataFrame({"team": list("aabbc"), "points": [1, 2, 3, 4, 5], "price": [1.5, 2.5, None, 4.0, 5.5]})
print(df.groupby("team").agg({"points": "sum", "price": "mean"}))
print(df.groupby("team").agg(total=("points", "sum"), most=("price", "max"), n=("points", "count")))
print(df.groupby("team")["points"].transform("mean").tolist(), df.groupby("team").size().to_dict())
print(df.groupby("team").apply(lambda g: g.points.max() - g.points.min()))
print(df.groupby("team").points.describe())
print(df.groupby("team", as_index=False).price.first(), df.groupby("team").cumcount().tolist(), df.groupby("team").ngroup().tolist())
print(df.groupby("team").filter(lambda g: len(g) > 1), df.groupby("team").points.rank().tolist())
