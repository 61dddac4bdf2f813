import pandas as pd
a = pd.DataFrame({"id": [1, 2, 3], "x": ["a", "b", "c"]})
b = pd.DataFrame({"id": [2, 3, 4], "y": [20, 30, 40]})
for how in ("inner", "left", "right", "outer"):
    print(a.merge(b, on="id", how=how, indicator=True))
print(a.join(b.set_index("id"), on="id"), pd.concat([a, b], ignore_index=True), pd.concat([a, b], axis=1), a.merge(b, how="cross").shape)
print(pd.merge_asof(pd.DataFrame({"t": [1, 5, 10]}), pd.DataFrame({"t": [2, 3, 7], "v": [1, 2, 3]}), on="t"))
print(a.merge(b, left_on="id", right_on="id", suffixes=("_l", "_r"), validate="1:1").dtypes)
