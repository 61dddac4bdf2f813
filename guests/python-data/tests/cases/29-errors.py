import numpy as np
import pandas as pd
for work in ("pd.DataFrame({'a': [1, 2], 'b': [1]})", "pd.Series([1, 2]).astype('datetime')", "pd.Series(['x']).astype(int)", "pd.to_numeric('x')", "np.array([[1, 2], [3]])", "pd.concat([])", "np.zeros((2, 3)) @ np.zeros((2, 3))",
             "pd.DataFrame({'a': [1]}).merge(pd.DataFrame({'b': [1]}))", "pd.Series([1]).loc['a']", "np.array([1, 2, 3])[5]", "pd.date_range('2026-01-01', '2026-02-01', freq='X')", "pd.Timestamp('2026-13-01')", "np.int8(200)", "pd.Series([1]).str.upper()",
             "np.zeros(10**12)", "np.broadcast_to([1], -1)", "pd.DataFrame([1]).iloc[3]", "np.arange(3).reshape(2, 2)", "if_else", "np.array(['a']) + 1", "np.concatenate([[1], [[2]]])", "np.random.default_rng(0).choice([], 1)", "pd.cut([1], -1)"):
    try:
        print(work, eval(work))
    except Exception as error:
        print(work, "->", type(error).__name__, str(error).split("\n")[0][:120])
