import csv
import io
import pandas as pd

text = "date,account,amount,currency\n2026-01-03,food,-23.50,EUR\n2026-01-05,rent,-900,EUR\n2026-01-31,salary,2500,EUR\n2026-02-02,food,-31.20,EUR\n2026-02-05,rent,-900,EUR\n2026-02-14,trip,-120,USD\n"
rates = {"EUR": 1.0, "USD": 0.9}
df = pd.read_csv(io.StringIO(text), parse_dates=["date"])
df["eur"] = df["amount"] * df["currency"].map(rates)
df["month"] = df["date"].dt.strftime("%b")
report = df.pivot_table(index="account", columns="month", values="eur", aggfunc="sum", fill_value=0, margins=True)[["Jan", "Feb", "All"]]
print(report.to_string(float_format="{:,.2f}".format))
lines = report.reset_index().to_csv(index=False, float_format="%.2f")
print(lines, list(csv.reader(io.StringIO(lines)))[1])
print(df.assign(balance=df["eur"].cumsum())[["date", "balance"]].to_string(index=False, header=False))
for account, amount in df[df["eur"] < 0].groupby("account")["eur"].sum().sort_values().items():
    print(f"{account:<8}{amount:>12,.2f}{'#' * int(-amount // 100)}")
print(df.groupby(df["eur"].gt(0).map({True: "in", False: "out"}))["eur"].sum().round(2).to_dict(), df.to_html(index=False, columns=["account", "eur"]).count("<tr"))
