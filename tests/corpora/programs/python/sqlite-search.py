import sqlite3
DOCS = [("Rust", "Rust is a systems language focused on safety and speed."), ("Python", "Python is a language that lets you work quickly; safety by exceptions."),
        ("SQLite", "SQLite is a small, fast, self-contained SQL database engine."), ("Café", "Le café est très bon à Zürich.")]
db = sqlite3.connect(":memory:")
try:
    db.execute("CREATE VIRTUAL TABLE docs USING fts5(title, body, tokenize = 'porter unicode61 remove_diacritics 2')")
    db.executemany("INSERT INTO docs VALUES (?, ?)", DOCS)
    for query in ("language", "safe*", '"systems language"', "title: python OR body: engine", "cafe", "zurich NOT rust", "NEAR(small engine, 5)"):
        rows = db.execute("SELECT title, snippet(docs, 1, '[', ']', '…', 5), round(bm25(docs), 4) FROM docs WHERE docs MATCH ? ORDER BY rank", (query,)).fetchall()
        print(query, "->", rows)
    print(db.execute("SELECT highlight(docs, 0, '<', '>') FROM docs('sqlite')").fetchall())
    try: db.execute("SELECT * FROM docs WHERE docs MATCH 'AND AND'").fetchall()
    except sqlite3.OperationalError as error: print(error)
except sqlite3.OperationalError as error:
    print("no full text:", error)
try:
    db.execute("CREATE VIRTUAL TABLE boxes USING rtree(id, x1, x2, y1, y2)")
    db.executemany("INSERT INTO boxes VALUES (?,?,?,?,?)", [(n, n, n + 1.5, 0, n) for n in range(10)])
    print(db.execute("SELECT id FROM boxes WHERE x1 >= 3 AND x2 <= 7.5 ORDER BY id").fetchall())
except sqlite3.OperationalError as error:
    print("no rtree:", error)
print(db.execute("SELECT title FROM (SELECT 'Ünder' title UNION SELECT 'under' UNION SELECT 'UNDER') WHERE title LIKE 'u%' ORDER BY title").fetchall(), db.execute("SELECT 'abc' GLOB 'a[a-c]*', 'Ü' LIKE 'ü', 'a_c' LIKE 'a!_c' ESCAPE '!'").fetchone())
print(sorted(o for (o,) in db.execute("PRAGMA compile_options") if o.startswith("ENABLE_FTS5") or o.startswith("ENABLE_MATH")) != None, db.execute("SELECT sqrt(2), pow(2, 10), ln(10), pi(), ceil(1.2), mod(7, 3), trunc(-2.7)").fetchone())
