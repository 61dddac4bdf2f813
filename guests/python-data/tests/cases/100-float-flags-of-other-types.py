import warnings
import numpy as np
import pandas as pd
for work in ("np.float16(1) / np.float16(0)", "np.array([1, 0], 'e') / np.array([0, 0], 'e')", "np.float16(60000) * np.float16(2)", "np.longdouble(1) / 0",
             "np.array([0, -1], 'g') ** -1", "np.log(np.array([0], 'g'))", "np.sqrt(np.array([-1], 'e'))", "np.complex128(1) / 0", "np.array([1j, 0]) / 0",
             "np.array([1e300 + 1e300j]) * 1e300", "np.divmod(np.array([1.0]), 0.0)", "divmod(np.float64(1), 0)", "np.floor_divide(np.float32(1), 0)",
             "np.remainder(np.array([1.0, 5.0]), [0.0, 2.0])", "np.modf([np.inf, 1.5])", "np.frexp([np.inf, 8.0])", "np.array(['NaT', 4], 'm8[s]') / np.timedelta64(2, 's')",
             "np.array([1, 0], 'm8[s]') / np.timedelta64(0, 's')", "pd.Series([1.0, 0.0]) / 0", "pd.to_timedelta(['1h', None]) / pd.Timedelta('30min')", "np.exp(1000 + 1j)",
             "np.array([np.nan], 'e') * 2", "np.array([np.inf], 'g') - 1", "np.expm1(np.array([1.0, 1000.0]))", "np.arctanh(np.array([1, 0.5], 'g'))"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = eval(work)
        print(work, np.isfinite(np.asarray(value, dtype=complex)).tolist(), sorted({str(one.message) for one in caught}))
for kind in "efdgFDG":
    with np.errstate(all="raise"):
        for left, right in ((1, 0), (0, 0)):
            try:
                np.ones(3, kind) * left / (np.ones(3, kind) * right)
            except FloatingPointError as error:
                print(kind, left, right, error)
