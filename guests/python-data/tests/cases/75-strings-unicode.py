import pandas as pd

s = pd.Series(["Ærøskøbing", "São Paulo", "東京", "Ελλάδα", "e\u0301tude", "👩‍💻 dev"])
print(s.str.len().tolist(), s.str.upper().tolist(), s.str.slice(0, 2).tolist(), s.str[::-1].iloc[2])
print(s.sort_values().tolist(), s.str.encode("utf-8").str.len().tolist(), s.str.normalize("NFC").str.len().tolist())
print(s.str.isalpha().tolist(), s.str.contains("ø").tolist(), s.str.pad(12, fillchar="·").tolist())
frame = pd.DataFrame({"Ort": s, "Länge": s.str.len()})
print(frame.to_csv(index=False), frame.to_json(orient="records", force_ascii=False), frame.to_json(orient="values"))
with pd.option_context("display.unicode.east_asian_width", True):
    print(frame)
print(frame.set_index("Ort").loc["東京", "Länge"], frame.query("`Länge` > 6")["Ort"].tolist())
print(pd.Series(["ß", "İ"]).str.lower().tolist(), pd.Series(["straße"]).str.casefold()[0], pd.Series(["a,b", "c"]).str.join("-").tolist())
