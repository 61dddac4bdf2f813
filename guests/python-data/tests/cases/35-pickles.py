import copy
import pickle
import numpy as np
import pandas as pd
df = pd.DataFrame({"a": [1, 2], "d": pd.to_datetime(["2026-01-01", None]), "c": pd.Categorical(["x", "y"])})
back = pickle.loads(pickle.dumps(df)); print(back.equals(df), back.dtypes, pickle.loads(pickle.dumps(np.arange(3) * 1.5)), copy.deepcopy(df).shape, pickle.loads(pickle.dumps(np.dtype("i8,f4"))), hash(np.dtype("i8")) == hash(np.dtype("int64")), pickle.loads(pickle.dumps(pd.Timestamp("2026-01-01", tz="Europe/Rome"))))
