import pandas as pd

days = pd.bdate_range("2026-12-21", "2027-01-08")
price = pd.Series([100 + (i * 7) % 11 for i in range(len(days))], index=days, dtype=float)
print(price.resample("W-FRI").last(), price.resample("BME").last())
print(price.asfreq("D").isna().sum(), price.asfreq("D", method="ffill").loc["2026-12-26":"2026-12-28"].tolist())
returns = price.pct_change().dropna()
print(returns.round(4).head(3), (1 + returns).prod().round(6), returns.std().round(6))
print(price.index.is_month_end.sum(), price[price.index.dayofweek == 0].tolist(), pd.Timestamp("2026-12-25") + pd.offsets.BDay(3))
holidays = pd.offsets.CustomBusinessDay(holidays=["2026-12-25", "2027-01-01"])
print(pd.date_range("2026-12-23", periods=7, freq=holidays).strftime("%a %d").tolist())
import numpy as np
print(np.busday_count("2026-12-21", "2027-01-09", holidays=["2026-12-25"]), np.is_busday(["2026-12-25", "2026-12-26"]).tolist(), np.busday_offset("2026-12-26", 0, roll="forward"))
from pandas.tseries.holiday import USFederalHolidayCalendar
print(USFederalHolidayCalendar().holidays("2026-11-01", "2027-01-05").strftime("%Y-%m-%d").tolist())
