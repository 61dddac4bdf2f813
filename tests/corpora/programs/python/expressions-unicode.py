import re, unicodedata

names = ["José", "Jose\u0301", "ＡＢＣ", "ﬁne", "Ǆ", "Straße", "İstanbul", "ΣΊΣΥΦΟΣ", "①②", "नमस्ते", "👩‍👩‍👧", "e\u0301\u0323"]
for name in names:
    print(name, len(name), name.upper(), name.lower(), name.title(), name.casefold(), name.swapcase(), [unicodedata.normalize(f, name) == name for f in ("NFC", "NFD", "NFKC", "NFKD")], len(re.findall(r"\w", name)))
def slug(text):
    text = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", text).strip("-")
print([slug(t) for t in ("Crème Brûlée & Café!", "  Ünïcode — «Test»  ", "日本", "½ cup ﬂour №5")])
for c in "aÄ5½٣Ⅷ€ \u200b\u00ad–😀\ud7a3":
    print(f"U+{ord(c):04X} {unicodedata.category(c)} {unicodedata.name(c, '-')} {unicodedata.numeric(c, None)} {unicodedata.digit(c, None)} {unicodedata.bidirectional(c)} {unicodedata.east_asian_width(c)} {unicodedata.decomposition(c)!r} {c.isalpha():d}{c.isdigit():d}{c.isdecimal():d}{c.isnumeric():d}{c.isspace():d}{c.isprintable():d}{c.isidentifier():d}")
print(unicodedata.lookup("GREEK SMALL LETTER ALPHA"), "\N{SNOWMAN}", unicodedata.combining("\u0301"), unicodedata.mirrored("("), unicodedata.unidata_version, unicodedata.is_normalized("NFC", "e\u0301"))
print(ascii("né\U0001F600"), repr("\x7f\x00\u200b\ud800"), "é".encode("latin-1"), "€".encode("cp1252"), "日本".encode("shift_jis"), "日本".encode("gb18030"), "ü".encode("utf-16"), "x".encode("utf-32-be"), "münchen.de".encode("idna"), "ü".encode("punycode"), "ä".encode("utf-7"), "ß".encode("cp437"), "한".encode("euc-kr"), "я".encode("koi8-r"))
for how in ("strict", "replace", "ignore", "xmlcharrefreplace", "backslashreplace", "namereplace"):
    try: print(how, "a€é".encode("ascii", how), end=" "); print(b"a\xe9\xff".decode("utf-8", how if how not in ("xmlcharrefreplace", "namereplace") else "surrogateescape").encode("utf-8", "surrogateescape"))
    except UnicodeError as error: print(type(error).__name__, error)
print(sorted(["zebra", "Äpfel", "apfel", "Zoo", "éclair"]), sorted(["zebra", "Äpfel", "apfel", "Zoo"], key=lambda s: unicodedata.normalize("NFD", s.casefold())), "ẞ".lower(), "ß".upper(), "ﬃ".upper(), "\u0345".upper())
print("a\u2028b\x85c\x1cd\r\ne".splitlines(), "\u3000x\u00a0".strip(), "１２".isdigit(), int("١٢"), "Ⅷ".isnumeric(), "x\ty".expandtabs(4), "tschüß".center(12, "*"), "ab".zfill(5), "-5".zfill(4))
