"""Tries a few scripts before the snapshot, as the guest without numpy and pandas does, and some that use these libraries.

The build puts this module in the place of that guest's own, which is `replaced_warm` here.
"""

from .own import __builtins__

# Before anything else: what the libraries are is in the snapshot, and not made by the scripts.
import ampoule_libraries
import ampoule_data

from . import replaced_warm
from .replaced_warm import callers, gather, up

ampoule_data.install()

replaced_warm.SCRIPTS += (
    "import numpy as np\na = np.arange(10) * 1.5\nprint(a.sum(), a[a > 3].mean(), np.sort(a)[:2])",
    "import pandas as pd\ndf = pd.DataFrame({'a': [1, 2, 3, 4], 'b': ['x', 'y', 'x', 'y'], 'c': [1.5, None, 2.5, 3.0]})\n"
    "print(df.groupby('b').agg({'a': 'sum', 'c': 'mean'}))\nprint(df.describe())\ndf.to_dict('records')",
    "import io\nimport pandas as pd\ndf = pd.read_csv(io.StringIO('d,v\\n2026-01-01,1\\n2026-01-02,2\\n'), parse_dates=['d'])\n"
    "df['m'] = df.d.dt.month\nprint(df.set_index('d').resample('D').sum(), df.merge(df, on='m').sort_values('v_x').head(1).to_string())",
)
