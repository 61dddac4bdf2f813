import pandas as pd

tickets = pd.DataFrame({"subject": ["Cannot login", "Refund please", "login page slow", "Invoice wrong", "Password reset", "hello"], "priority": ["high", "low", "mid", "high", "mid", "low"]})
rules = {"access": r"login|password", "billing": r"refund|invoice"}
tickets["topic"] = "other"
for topic, pattern in rules.items():
    tickets.loc[tickets["subject"].str.contains(pattern, case=False, regex=True), "topic"] = topic
tickets["priority"] = pd.Categorical(tickets["priority"], categories=["low", "mid", "high"], ordered=True)
print(tickets.sort_values(["priority", "subject"], ascending=[False, True]))
print(tickets.groupby("topic", observed=True)["priority"].max(), tickets["priority"].cat.codes.tolist())
print(tickets[tickets["priority"] >= "mid"]["topic"].value_counts())
print(pd.crosstab(tickets["topic"], tickets["priority"]))
print(tickets["subject"].str.split().str[0].str.lower().map({"cannot": 1, "hello": 0}).fillna(-1).astype(int).tolist())
print(tickets["topic"].astype("category").cat.categories.tolist(), tickets["priority"].cat.remove_unused_categories().cat.categories.tolist())
print(tickets["topic"].where(tickets["topic"] != "other", tickets["subject"].str.upper()).tolist())
