import pandas as pd

df = pd.DataFrame({"Full Name": ["  ada LOVELACE ", "Grace Hopper", None, "alan  turing", "O'Neil, Shaq"], "E-Mail": ["ADA@X.ORG", "grace@navy.mil", "nobody", None, "shaq@nba.com"]})
df.columns = df.columns.str.lower().str.replace(r"[^a-z]+", "_", regex=True)
print(df.columns.tolist())
df["full_name"] = df["full_name"].str.strip().str.replace(r"\s+", " ", regex=True).str.title()
parts = df["full_name"].str.split(" ", n=1, expand=True).rename(columns={0: "first", 1: "last"})
print(pd.concat([df, parts], axis=1))
print(df["e_mail"].str.lower().str.extract(r"^(?P<user>[^@]+)@(?P<domain>.+)$"))
print(df["e_mail"].str.contains("@", na=False).tolist(), df["e_mail"].str.endswith((".org", ".mil")).tolist())
print(df["full_name"].str.len().tolist(), df["full_name"].str.count("a").tolist(), df["full_name"].str.get(0).tolist())
print(df["full_name"].fillna("?").str.casefold().str.replace("'", "").str.partition(" ")[2].tolist())
print(parts["last"].str.cat(parts["first"], sep=", ", na_rep="-").tolist(), df["full_name"].str.swapcase().iloc[1])
print(df["full_name"].str.slice(0, 3).str.upper().str.center(7, "*").tolist(), df["full_name"].str.isalpha().tolist())
