import io
import pandas as pd

text = """id,code,when,amount,flag,note
1,007,2026-01-02 03:04:05,"1,234.5",true,"a, b"
2,042,2026-01-03 00:00:00,-7.25,false,
3,100,,0,true,"line
break"
"""
df = pd.read_csv(io.StringIO(text), dtype={"code": str}, parse_dates=["when"], thousands=",")
print(df, df.dtypes)
print(df["amount"].sum(), df["code"].tolist(), df["note"].tolist(), df["when"].dt.date.tolist())
print(pd.read_csv(io.StringIO(text), index_col="id", usecols=["id", "flag", "amount"], thousands=",").loc[2].to_dict())
print(pd.read_csv(io.StringIO(text), nrows=1).shape, pd.read_csv(io.StringIO(text), skiprows=[1], thousands=",")["id"].tolist(), pd.read_csv(io.StringIO(text), na_values=["042"], thousands=",")["code"].tolist())
out = df.to_csv(index=False, date_format="%Y/%m/%d", float_format="%.2f")
print(out)
again = pd.read_csv(io.StringIO(out), dtype={"code": "string", "flag": "boolean"}, parse_dates=["when"])
print(again.dtypes, again["amount"].tolist() == df["amount"].tolist(), again.equals(df))
print(df.to_csv(columns=["id", "note"], header=False, quoting=1, index=False, lineterminator="|"), df.to_csv(sep="\t").count("\t"))
print(pd.read_csv(io.StringIO("a,b\n1,2\n"), dtype="int32").dtypes.tolist(), pd.read_csv(io.StringIO("a,a,a\n1,2,3")).columns.tolist(), pd.read_csv(io.StringIO("x\n1\nx\n")).x.dtype)
