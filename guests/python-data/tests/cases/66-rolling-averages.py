import numpy as np
import pandas as pd

price = pd.Series([10.0, 10.5, 9.8, 11.2, 11.0, 12.1, 11.7, 12.6, 12.2, 13.0], index=pd.date_range("2026-01-05", periods=10, freq="B"))
frame = pd.DataFrame({"price": price, "sma3": price.rolling(3).mean(), "ema3": price.ewm(span=3, adjust=False).mean(), "max5": price.rolling(5, min_periods=1).max()})
print(frame.round(4))
frame["signal"] = np.where(frame["price"] > frame["sma3"], "buy", "hold")
frame["cross"] = (frame["signal"] != frame["signal"].shift()).astype(int)
print(frame["signal"].value_counts(), frame["cross"].sum())
returns = price.pct_change()
print((returns.rolling(5).std() * np.sqrt(252)).round(4).dropna().tolist())
drawdown = price / price.cummax() - 1
print(drawdown.min().round(4), drawdown.idxmin().date(), np.log(price).diff().sum().round(6))
upper = frame["sma3"] + 2 * price.rolling(3).std()
print(upper.round(3).tolist(), (price > upper).any())
