import sqlite3
import pandas as pd
c = sqlite3.connect(":memory:")
df = pd.DataFrame({"id": [1, 2], "name": ["a", None], "v": [1.5, 2.5]})
print(df.to_sql("t", c, index=False), pd.read_sql("select name, sum(v) as s from t group by name", c), pd.read_sql("select * from t where id > ?", c, params=[1]), pd.read_sql_query("select count(*) n from t", c).n[0])
