import numpy as np
import pandas as pd
pd.testing.assert_frame_equal(pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [1]})); np.testing.assert_allclose([1.0], [1.0 + 1e-9])
try:
    pd.testing.assert_series_equal(pd.Series([1]), pd.Series([2]))
except AssertionError as error:
    print(error)
try:
    np.testing.assert_array_equal([1, 2], [1, 3])
except AssertionError as error:
    print(error)
print(np.__version__, pd.__version__, pd.options.display.max_rows)
