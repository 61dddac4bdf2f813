import pandas as pd

wide = pd.DataFrame({"id": [1, 2], "name": ["Ann", "Bob"], "jan": [10, 20], "feb": [11, None], "mar": [12, 22]})
long = wide.melt(id_vars=["id", "name"], var_name="month", value_name="value")
print(long)
print(long.dropna().groupby("name")["value"].agg(["sum", "count"]))
back = long.pivot(index="id", columns="month", values="value")[["jan", "feb", "mar"]]
print(back, back.equals(wide.set_index("id")[["jan", "feb", "mar"]].astype(float)))
survey = pd.DataFrame({"id": [1, 2], "score_2024": [3, 4], "score_2025": [5, 6], "text_2024": ["a", "b"], "text_2025": ["c", "d"]})
print(pd.wide_to_long(survey, stubnames=["score", "text"], i="id", j="year", sep="_").sort_index())
print(back.stack().rename("v").reset_index())
print(long.set_index(["id", "month"])["value"].unstack().T)
print(long.explode("month").shape, pd.DataFrame({"k": ["a", "b"], "v": [[1, 2], [3]]}).explode("v", ignore_index=True))
