from collections import Counter
import pandas as pd

texts = pd.Series(["The quick brown fox", "the lazy dog; the end.", "", None, "Fox & dog"])
words = texts.str.lower().str.findall(r"[a-z]+").explode().dropna()
print(words.value_counts().sort_index(), words.groupby(level=0).size().to_dict())
print(Counter(words).most_common(2), words[words.str.len() > 3].unique().tolist())
bag = words.str.get_dummies().groupby(level=0).max()
print(bag[["dog", "fox", "the"]])
print(texts.str.split().map(len, na_action="ignore").tolist(), texts.str.wrap(10).iloc[0].split("\n"))
print(texts.fillna("").str.cat(sep=" / "), texts.str.replace("the", "a", case=False).tolist())
print(texts.str.translate(str.maketrans("aeiou", "*****")).tolist(), texts.str.find("o").tolist(), texts.str.rfind("o").tolist())
print(texts.str.normalize("NFKD").isna().tolist(), pd.Series(["café", "naïve"]).str.normalize("NFKD").str.encode("ascii", "ignore").str.decode("ascii").tolist())
print(texts.str.removeprefix("The ").str.removesuffix(".").tolist(), texts.eq("").tolist(), texts.str.isspace().tolist())
