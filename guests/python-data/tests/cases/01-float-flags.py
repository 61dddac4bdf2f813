import warnings
import numpy as np
for work in ("np.array([1.0, -1.0, 0.0]) / 0", "np.log(np.array([0.0, 1.0]))", "np.sqrt(np.array([-1.0]))", "np.exp(np.array([1000.0]))",
             "np.float64(1) / 0", "np.array([1, 2]) // 0", "np.array([1e308]) * 10", "np.array([np.nan]).astype(int)", "np.array([np.inf]) - np.inf",
             "np.arctanh(np.array([1.0]))", "np.log1p(np.array([-1.0]))", "np.power(np.array([0.0]), -1)", "np.float32(1e38) * np.float32(100)",
             "np.array([np.nan]) + 1", "np.array([np.inf]) + 1", "np.sum([1e308, 1e308])", "np.mean([])", "np.array([1e300]).astype(np.float32)"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = eval(work)
        print(work, value, [str(one.message) for one in caught])
with np.errstate(divide="raise", invalid="ignore"):
    print(np.array([0.0]) / 0)
    try:
        np.array([1.0]) / 0
    except FloatingPointError as error:
        print(error)
