import pandas as pd
df = pd.DataFrame({"a": range(5), "b": list("vwxyz")}, index=list("ABCDE"))
print(df.loc["B":"D", "a"], df.iloc[1:3, 1], df.at["A", "b"], df[df.a > 2], df.query("a % 2 == 0 and b != 'x'"), df.loc[df.b.isin(["v", "z"])], df.filter(like="a"))
df.loc["F"] = [9, "q"]; df["c"] = df.a.cumsum(); df = df.assign(d=lambda x: x.a * 2).rename(columns={"b": "letter"}).drop(index="A"); print(df, df.columns.tolist(), df.index.tolist())
print(df.reindex(["B", "Z"]), df.set_index("letter").loc["w"], df.a.between(1, 3).tolist(), df.select_dtypes("number").columns.tolist(), df.insert(0, "z", 1), df.pop("z").tolist(), df.xs("B"), df.eval("a + d").tolist())
try:
    df.loc["nope"]
except KeyError as error:
    print("KeyError", error)
try:
    df["nope"]
except KeyError as error:
    print("KeyError", error)
