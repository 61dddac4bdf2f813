import pandas as pd

df = pd.DataFrame({
    "quarter": ["Q1", "Q1", "Q2", "Q2", "Q2", "Q3"],
    "channel": ["web", "shop", "web", "web", "shop", "shop"],
    "amount": [100, 50, 70, 30, 20, 90],
    "returns": [1, 0, 2, 1, 0, 3],
})
table = df.pivot_table(index="quarter", columns="channel", values="amount", aggfunc="sum", fill_value=0, margins=True, margins_name="Total")
print(table)
print((table.div(table["Total"], axis=0) * 100).round(1))
wide = df.pivot_table(index="quarter", columns="channel", values=["amount", "returns"], aggfunc={"amount": "sum", "returns": "max"})
print(wide)
wide.columns = ["_".join(c) for c in wide.columns]
print(wide.reset_index().fillna(0))
print(df.pivot_table(index="quarter", values="amount", aggfunc=["mean", "count", "max"]))
print(table.loc["Q2", "web"], table.loc["Total", "Total"], table.index.tolist())
