import io
import pandas as pd

fixed = "Name      Born  Height\nAda       1815   1.65 \nGrace     1906   1.52 \n"
print(pd.read_fwf(io.StringIO(fixed)), pd.read_fwf(io.StringIO(fixed), widths=[10, 6, 7]).dtypes)
print(pd.read_csv(io.StringIO(fixed), sep=r"\s+")["Height"].mean(), pd.read_table(io.StringIO("a\tb\n1\t2")).to_dict("list"))
lists = "id,tags\n1,\"[1, 2]\"\n2,[]\n"
import ast
print(pd.read_csv(io.StringIO(lists), converters={"tags": ast.literal_eval})["tags"].map(len).tolist())
print(pd.read_csv(io.StringIO("t,v\n1h,50%\n2h,7%\n"), converters={"v": lambda s: float(s.rstrip("%")) / 100, "t": pd.Timedelta}))
big = pd.read_csv(io.StringIO("n\n9223372036854775807\n18446744073709551615\n123456789012345678901\n"))
print(big.dtypes.tolist(), big["n"].tolist(), pd.read_csv(io.StringIO("n\n9223372036854775808\n1"))["n"].dtype)
print(pd.read_csv(io.StringIO("x\n0.1\n1e400\n-inf\nnan\n.5\n1e-320"))["x"].tolist(), pd.read_csv(io.StringIO("x\n0.30000000000000004"), float_precision="round_trip")["x"][0])
multi = "a,a,b\nx,y,x\n1,2,3\n"
print(pd.read_csv(io.StringIO(multi), header=[0, 1]).columns.tolist(), pd.read_csv(io.StringIO("b\nTrue\nFalse\n"), dtype=object)["b"].tolist())
clip = pd.DataFrame({"k": ["a", "b"], "v": [1.5, None]})
print(clip.to_string(na_rep="-"), clip.to_dict("tight"), clip.to_dict("split"), clip.to_records(index=False).tolist())
