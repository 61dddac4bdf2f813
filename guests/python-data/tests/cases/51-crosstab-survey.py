import pandas as pd

answers = pd.DataFrame({
    "age": ["<30", "<30", "30+", "30+", "30+", "<30"],
    "sex": ["f", "m", "f", "f", "m", "m"],
    "likes": ["yes", "no", "yes", "yes", "no", "yes"],
    "stars": [5, 2, 4, 5, 1, 3],
})
print(pd.crosstab(answers["age"], answers["likes"], margins=True))
print(pd.crosstab(answers["age"], answers["likes"], normalize="index").round(2))
print(pd.crosstab([answers["age"], answers["sex"]], answers["likes"], rownames=["age", "sex"], colnames=["likes"]))
print(pd.crosstab(answers["age"], answers["sex"], values=answers["stars"], aggfunc="mean").round(2))
print(answers["likes"].eq("yes").groupby(answers["sex"]).mean().mul(100).round(1).astype(str).add("%"))
dummies = pd.get_dummies(answers[["age", "likes"]], drop_first=True, dtype=int)
print(dummies.columns.tolist(), dummies.values.tolist())
print(pd.from_dummies(pd.get_dummies(answers["sex"]))[""].tolist())
