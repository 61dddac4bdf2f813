import pandas as pd
df = pd.DataFrame({"name": ["b", "a", "c", "a"], "n": [2, 2, 1, 3]})
print(df.sort_values(["n", "name"], ascending=[False, True]), df.sort_index(ascending=False), df.nlargest(2, "n"), df.nsmallest(1, "n"), df.n.rank(method="min").tolist(), df.n.rank(pct=True).tolist())
print(df.drop_duplicates("name"), df.duplicated("name").tolist(), df.n.argsort().tolist(), df.reset_index(drop=True).iloc[::-1], df.sample(2, random_state=1), df.name.unique(), df.n.idxmax(), df.sort_values("name", key=lambda s: s.str.upper()).index.tolist())
