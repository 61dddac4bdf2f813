import io
import pandas as pd

files = {
    "jan": "id,amount\n1,10\n2,20\n",
    "feb": "id,amount,note\n1,15,late\n3,5,\n",
    "mar": "id;amount\n2;7,5\n",
}
parts = []
for name, text in files.items():
    part = pd.read_csv(io.StringIO(text), sep=None, engine="python", decimal="," if ";" in text else ".")
    part["month"] = name
    parts.append(part)
df = pd.concat(parts, ignore_index=True)
print(df, df.dtypes)
print(df.pivot_table(index="id", columns="month", values="amount", aggfunc="sum")[list(files)])
print(pd.concat({name: part.set_index("id") for name, part in zip(files, parts)}, names=["file"]).loc["feb"])
print(pd.concat([part.set_index("id")["amount"].rename(name) for name, part in zip(files, parts)], axis=1).sort_index().fillna(0))
print(pd.concat(parts, join="inner", keys=files).index.tolist())
print(df.drop_duplicates("id", keep="last").sort_values("id")[["id", "month"]].values.tolist())
