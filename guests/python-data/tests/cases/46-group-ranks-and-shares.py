import pandas as pd

df = pd.DataFrame({
    "team": ["red", "red", "red", "blue", "blue", "green"],
    "player": ["a", "b", "c", "d", "e", "f"],
    "points": [10, 15, 15, 7, 9, 30],
})
df["rank"] = df.groupby("team")["points"].rank(ascending=False, method="dense").astype(int)
df["of_team"] = (df["points"] / df.groupby("team")["points"].transform("sum")).map("{:.1%}".format)
df["behind"] = df.groupby("team")["points"].transform("max") - df["points"]
df["order"] = df.sort_values("points", ascending=False).groupby("team").cumcount() + 1
print(df)
print(df.loc[df.groupby("team")["points"].idxmax(), ["team", "player"]].set_index("team")["player"].to_dict())
print(df[df["rank"] == 1].groupby("team")["player"].agg(list))
print(df.groupby("team")["points"].pct_change().round(3))
print(df.groupby("team").sample(n=1, random_state=3)["player"].tolist())
print(df.groupby("team").tail(1))
