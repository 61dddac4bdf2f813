import pandas as pd

raw = pd.DataFrame({
    " Name ": ["Ann ", "bob", "N/A", "Ann "],
    "Age": ["34", "n/a", "51", "34"],
    "Joined": ["2020-01-05", "05/02/2021", "", "2020-01-05"],
    "Paid": ["yes", "No", "YES", "yes"],
    "Sum": ["1.200,50", "3,5", "-", "1.200,50"],
})
df = raw.rename(columns=lambda c: c.strip().lower()).drop_duplicates()
df = df.replace(["N/A", "n/a", "-", ""], pd.NA)
df["name"] = df["name"].str.strip().str.capitalize()
df["age"] = pd.to_numeric(df["age"], errors="coerce").astype("Int64")
df["joined"] = pd.to_datetime(df["joined"], format="mixed", dayfirst=True, errors="coerce")
df["paid"] = df["paid"].str.lower().map({"yes": True, "no": False})
df["sum"] = df["sum"].str.replace(".", "", regex=False).str.replace(",", ".", regex=False).astype(float)
print(df, df.dtypes, df.isna().sum().sum())
print(df.assign(sum=df["sum"].fillna(0), age=df["age"].fillna(int(df["age"].median()))).to_dict("records"))
print(df[df["age"].notna() & df["paid"]]["name"].tolist(), df["joined"].dt.year.astype("Int64").tolist(), df["sum"].describe().round(2).to_dict())
