import pandas as pd

left = pd.DataFrame({"k": ["a", "b", "b"], "v": [1, 2, 3]})
right = pd.DataFrame({"k": ["b", "c"], "v": [20, 30]})
print(left.merge(right, on="k", how="outer", suffixes=("_old", "_new")))
for kind in ("one_to_one", "one_to_many"):
    try:
        left.merge(right, on="k", validate=kind)
    except pd.errors.MergeError as error:
        print(kind, "->", error)
try:
    left.merge(right.rename(columns={"k": "key"}), on="k")
except KeyError as error:
    print("KeyError", error)
try:
    left.merge(pd.DataFrame({"k": [1, 2]}), on="k")
except ValueError as error:
    print("ValueError", error)
print(left.merge(right, how="cross").shape, left.merge(left, on="k")[["v_x", "v_y"]].values.tolist())
print(left.set_index("k").join(right.set_index("k"), lsuffix="_l", rsuffix="_r"))
print(left.assign(n=left.groupby("k").cumcount()).merge(right.assign(n=0), on=["k", "n"], how="left"))
