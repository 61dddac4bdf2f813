import pandas as pd

raw = pd.Series(["id=1;name=Ann;tags=a|b", "id=2;name=Bob;tags=", "id=3;name=Cid;tags=c"])
records = raw.map(lambda line: dict(part.split("=", 1) for part in line.split(";")))
df = pd.DataFrame(records.tolist()).astype({"id": int})
df["tags"] = df["tags"].str.split("|").map(lambda tags: [t for t in tags if t])
print(df, df["tags"].map(len).tolist())
print(df.explode("tags").groupby("tags")["name"].agg(list).to_dict())
print(df["tags"].str.join("+").tolist(), df["tags"].map(bool).tolist())
urls = pd.Series(["https://a.example/x?q=1&r=2", "http://b.example/", "ftp://c.example/y#z"])
print(urls.str.extract(r"^(?P<scheme>\w+)://(?P<host>[^/]+)(?P<path>/[^?#]*)"))
from urllib.parse import parse_qs, urlsplit
print(urls.map(lambda u: parse_qs(urlsplit(u).query)).tolist())
versions = pd.Series(["1.10.0", "1.2.9", "1.2.10"])
print(versions.str.split(".", expand=True).astype(int).sort_values([0, 1, 2]).index.map(versions).tolist())
print(versions.sort_values(key=lambda s: s.map(lambda v: tuple(map(int, v.split("."))))).tolist())
