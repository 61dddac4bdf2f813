import numpy as np
import pandas as pd

index = pd.date_range("2026-04-01", periods=48, freq="30min")
temp = pd.Series(np.round(15 + 5 * np.sin(np.arange(48) / 48 * 2 * np.pi), 2), index=index, name="temp")
temp.iloc[[5, 6, 20]] = np.nan
print(temp.resample("6h").agg(["mean", "min", "max", "count"]).round(2))
print(temp.interpolate(method="time").iloc[4:8].round(3))
print(temp.resample("D").mean().round(4), temp.isna().sum(), temp.idxmax(), temp.idxmin())
hourly = temp.resample("h").mean()
print(hourly[hourly.isna()].index.tolist(), hourly.ffill(limit=1).isna().sum())
print(temp.resample("8h", offset="2h").first(), temp.resample("12h", closed="right", label="right").sum().round(2))
print(temp.between_time("12:00", "13:00"), temp.at_time("06:00"), temp["2026-04-01 23"].tolist())
print(temp.asfreq("5h").round(1).tolist(), temp.resample("4h").ohlc().tail(2))
