import io
import pandas as pd
text = "id;name;price;day\n1;Ann;1,5;2026-01-02\n2;\"Bob; Jr\";2,25;2026-01-03\n3;;NA;\n"
df = pd.read_csv(io.StringIO(text), sep=";", decimal=",", parse_dates=["day"])
print(df, df.dtypes, df.to_csv(index=False), df.to_csv(sep="\t", na_rep="-", date_format="%d/%m"))
print(pd.read_csv(io.StringIO("a,b\n1,2\n3,4"), usecols=["b"], dtype={"b": float}), pd.read_csv(io.StringIO("1,2\n3,4"), header=None, names=["x", "y"], nrows=1))
print(pd.read_csv(io.StringIO("a b  c\n1 2  3"), sep=r"\s+"), pd.read_csv(io.StringIO("# c\na,b\n1,x\n"), comment="#"), pd.read_fwf(io.StringIO("ab cd\n12 34")))
for chunk in pd.read_csv(io.StringIO("a\n" + "\n".join(map(str, range(5)))), chunksize=2):
    print(chunk.a.sum())
try:
    pd.read_csv(io.StringIO("a,b\n1,2\n1,2,3\n"))
except pd.errors.ParserError as error:
    print(error)
print(pd.read_csv(io.StringIO("n,f,b\n9223372036854775807,0.1,True\n-5,1e-3,False")).dtypes, pd.read_csv(io.BytesIO(b"x\n\xc3\xa9")).x[0], pd.read_csv(io.StringIO("x\n1_0\n"), engine="python").x[0])
