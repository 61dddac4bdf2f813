from decimal import Decimal
import pandas as pd
df = pd.DataFrame({"item": ["a", "b"], "price": [Decimal("1.10"), Decimal("2.20")], "n": [3, 4]})
df["total"] = df.price * df.n
print(df, df.total.sum(), df.dtypes, df.total.map("{:,.2f} EUR".format).tolist(), df.total.astype(float).round(1).tolist(), (df.n * 19 / 100).round(2).tolist(), df.set_index("item").total.to_dict())
