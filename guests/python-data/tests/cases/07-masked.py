import numpy as np
m = np.ma.array([1, 2, 3], mask=[0, 1, 0]); print(m, m.mean(), m.filled(0), np.ma.masked_invalid([1.0, np.nan]))
print(np.nanmean([1, np.nan, 3]), np.nansum([np.nan]), np.nanmax([1, np.nan]), np.isnan([1, np.nan]).tolist())
