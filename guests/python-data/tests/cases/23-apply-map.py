import pandas as pd
df = pd.DataFrame({"a": [1, 2, 3], "b": [4.0, 5.0, 6.0]})
print(df.apply(sum), df.apply(lambda r: r.a * r.b, axis=1), df.map(lambda x: x + 1), df.a.map({1: "one", 2: "two"}), df.pipe(lambda d: d * 2), df.agg(["sum", "mean"]), df.transform(lambda c: c - c.mean()))
for index, row in df.iterrows():
    print(index, row.a, row["b"])
for row in df.itertuples(index=False):
    print(row)
for name, column in df.items():
    print(name, column.tolist())
print(df.apply(lambda r: pd.Series({"x": r.a, "y": r.b}), axis=1), df.a.apply(lambda v: [v] * 2).explode().tolist(), df.clip(2, 5), df.cumprod(), df.diff(), df.eq(2).any().tolist(), df.to_numpy().dtype, df.T.dtypes)
