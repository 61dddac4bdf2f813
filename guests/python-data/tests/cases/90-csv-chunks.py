import io
import pandas as pd

text = "id,group,value\n" + "".join(f"{i},{'abc'[i % 3]},{i * 0.5}\n" for i in range(1000))
totals = {}
for number, chunk in enumerate(pd.read_csv(io.StringIO(text), chunksize=300)):
    print(number, len(chunk), chunk.index[0], chunk["value"].sum())
    for group, value in chunk.groupby("group")["value"].sum().items():
        totals[group] = totals.get(group, 0) + value
print(totals)
whole = pd.read_csv(io.StringIO(text), dtype={"group": "category", "value": "float32", "id": "int16"})
print(whole.dtypes, whole.memory_usage(index=False).to_dict(), whole.groupby("group", observed=True)["value"].sum().to_dict())
print(pd.concat(c[c["value"] > 498] for c in pd.read_csv(io.StringIO(text), chunksize=100)))
reader = pd.read_csv(io.StringIO(text), iterator=True)
print(reader.get_chunk(2)["id"].tolist(), reader.read(3)["id"].tolist())
print(pd.read_csv(io.StringIO(text), skiprows=lambda i: i > 0 and i % 250 != 0)["id"].tolist(), pd.read_csv(io.StringIO(text), skipfooter=997, engine="python")["id"].tolist())
print(pd.read_csv(io.StringIO(text), index_col=["group", "id"]).sort_index().loc["b"].head(2), pd.read_csv(io.StringIO(text)).sample(3, random_state=5)["id"].tolist())
