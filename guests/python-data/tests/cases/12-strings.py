import pandas as pd
s = pd.Series(["Ann Lee", "bob ray", None, "C. Smith-Jones"])
print(s.str.upper(), s.str.len(), s.str.split().str[0], s.str.contains("a", na=False), s.str.replace("o", "0"), s.str.extract(r"(\w+)\W+(\w+)"))
print(s.str.title().tolist(), s.str.cat(sep="|", na_rep="-"), s.str.findall("[A-Z]").tolist(), s.str.startswith("A").tolist(), s.str.strip().str.slice(0, 3).tolist())
print(s.str.get_dummies(" "), s.str.pad(16, side="both", fillchar="*").tolist(), s.str.zfill(16).tolist(), s.dtype, s.str.match("[A-Z]").tolist(), s.str.split(" ", expand=True))
print(pd.Series(["1,5", "2"]).str.replace(",", ".").astype(float).tolist(), pd.Series(["a1", "b2"]).str.extractall(r"(\d)"), pd.Series(["x"]).str.repeat(3)[0])
