import pandas as pd
rows = [{"region": r, "city": c, "q": q, "sales": i * 10 + q} for i, (r, c) in enumerate([("N", "Oslo"), ("N", "Bergen"), ("S", "Rome")]) for q in (1, 2)]
df = pd.DataFrame(rows)
t = df.pivot_table(index=["region", "city"], columns="q", values="sales", aggfunc="sum", margins=True, margins_name="all"); print(t)
print(df.groupby(["region", "city"]).sales.sum().groupby(level=0).apply(lambda s: s / s.sum()).round(3), df.groupby("region").sales.apply(list).to_dict(), df.groupby("region").agg({"sales": ["min", "max"], "city": "nunique"}), t.loc["N"].to_dict(), t.index.tolist(), df.groupby("region").sales.sum().sort_values(ascending=False).head(1).index[0])
