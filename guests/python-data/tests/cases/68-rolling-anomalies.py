import numpy as np
import pandas as pd

rng = np.random.default_rng(11)
values = pd.Series(rng.normal(100, 5, 60).round(2), index=pd.date_range("2026-01-01", periods=60))
values.iloc[[20, 45]] = [160, 40]
mean, std = values.rolling(14).mean().shift(), values.rolling(14).std().shift()
z = (values - mean) / std
print(z[z.abs() > 3].round(2))
median = values.rolling(7, center=True).median()
print((values - median).abs().nlargest(3).round(2))
q1, q3 = values.quantile([0.25, 0.75])
outliers = values[(values < q1 - 1.5 * (q3 - q1)) | (values > q3 + 1.5 * (q3 - q1))]
print(outliers.index.strftime("%d.%m.").tolist(), values.clip(q1, q3).std().round(3))
print(values.rolling(10).apply(lambda w: np.percentile(w, 90), raw=True).tail(3).round(3).tolist())
print(values.rolling(30).corr(pd.Series(range(60), index=values.index)).iloc[-1].round(6), values.autocorr(1).round(6))
print(values.ewm(com=2).std().tail(2).round(4).tolist(), values.rolling(5).kurt().tail(1).round(4).tolist(), values.rolling(5).rank().tail(3).tolist())
