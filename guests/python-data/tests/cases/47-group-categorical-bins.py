import numpy as np
import pandas as pd

people = pd.DataFrame({"age": [5, 17, 18, 34, 35, 52, 67, 80], "income": [0, 100, 1200, 2500, 3100, 4000, 2100, 1500]})
people["band"] = pd.cut(people["age"], bins=[0, 17, 34, 64, np.inf], labels=["child", "young", "middle", "senior"])
print(people["band"].value_counts(sort=False))
print(people.groupby("band", observed=True)["income"].agg(["count", "mean", "max"]).round(1))
people["quartile"] = pd.qcut(people["income"], 4, labels=False)
print(people.groupby("quartile")["income"].agg(["min", "max"]))
print(people.groupby(pd.cut(people["age"], 3), observed=False)["income"].sum())
print(pd.cut(people["age"], [0, 18, 65, 120], right=False).astype(str).tolist())
print(people.groupby("band", observed=False).size().to_dict())
print(people.set_index("band").loc[["senior", "child"], "age"])
