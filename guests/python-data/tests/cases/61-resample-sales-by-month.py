import pandas as pd

sales = pd.DataFrame({
    "date": pd.date_range("2025-11-15", periods=120, freq="D"),
    "amount": [(i * 37) % 50 + 10 for i in range(120)],
    "shop": ["a", "b", "c"] * 40,
})
monthly = sales.resample("MS", on="date")["amount"].sum()
print(monthly, monthly.pct_change().mul(100).round(1).tolist(), monthly.diff().fillna(0).astype(int).tolist())
print(sales.groupby("shop").resample("QE", on="date", include_groups=False)["amount"].sum().unstack(0))
print(sales.set_index("date").groupby("shop")["amount"].resample("ME").mean().round(2).unstack())
weekly = sales.set_index("date")["amount"].resample("W-MON", label="left", closed="left").sum()
print(weekly.head(3), weekly.index.freqstr, len(weekly))
print(monthly.cumsum().iloc[-1], monthly.rolling(3).mean().round(2).tolist(), monthly.idxmax().strftime("%B %Y"))
print(sales.groupby(sales["date"].dt.to_period("Q"))["amount"].agg(["sum", "mean"]).round(1))
print(sales.groupby([sales["date"].dt.year, sales["date"].dt.month_name().str[:3]], sort=False)["amount"].sum())
