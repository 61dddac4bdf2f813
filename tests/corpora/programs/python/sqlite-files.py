import sqlite3, os, threading, pathlib, io
from concurrent.futures import ThreadPoolExecutor

path = pathlib.Path("/tmp/x.db"); path.unlink(missing_ok=True)
with sqlite3.connect(path) as db:
    db.execute("CREATE TABLE kv(k TEXT PRIMARY KEY, v BLOB, n INT GENERATED ALWAYS AS (length(v)) STORED) WITHOUT ROWID, STRICT")
    db.executemany("INSERT INTO kv(k, v) VALUES (?, ?)", [(f"k{n}", bytes([n]) * n) for n in range(5)])
    db.execute("INSERT INTO kv(k, v) VALUES ('k1', x'ff') ON CONFLICT(k) DO UPDATE SET v = CAST(excluded.v || kv.v AS BLOB)")
db.close()
print(path.stat().st_size, path.read_bytes()[:15])
db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
print(db.execute("SELECT k, v, n FROM kv").fetchall(), db.execute("PRAGMA journal_mode").fetchone(), db.execute("PRAGMA integrity_check").fetchone())
for statement in ("DELETE FROM kv", "INSERT INTO kv(k, v) VALUES ('z', 5)", "CREATE TABLE z(a)"):
    try: db.execute(statement)
    except sqlite3.Error as error: print(type(error).__name__, error)
memory = sqlite3.connect(":memory:"); db.backup(memory, pages=1, progress=lambda s, r, t: None)
print("\n".join(memory.iterdump()))
copy = sqlite3.connect(":memory:"); copy.deserialize(memory.serialize()); print(copy.execute("SELECT count(*), sum(n) FROM kv").fetchone())
memory.execute("CREATE TABLE files(id INTEGER PRIMARY KEY, data)"); memory.execute("INSERT INTO files VALUES (1, zeroblob(10))")
with memory.blobopen("files", "data", 1) as blob: blob.write(b"hello"); blob.seek(0, os.SEEK_SET); blob[7] = 33; print(blob.read(), len(blob), blob[0:3])
writer = sqlite3.connect(path, isolation_level=None); writer.execute("BEGIN IMMEDIATE"); writer.execute("DELETE FROM kv WHERE k = 'k4'")
print(sqlite3.connect(path).execute("SELECT count(*) FROM kv").fetchone(), writer.in_transaction); writer.execute("SAVEPOINT a"); writer.execute("DELETE FROM kv"); writer.execute("ROLLBACK TO a"); writer.execute("COMMIT")
print(sqlite3.connect(path).execute("SELECT count(*) FROM kv").fetchone(), db.execute("SELECT name, type FROM sqlite_schema").fetchall())
def count(n): return sqlite3.connect(path).execute("SELECT count(*) + ? FROM kv", (n,)).fetchone()[0]
with ThreadPoolExecutor(3) as pool: print(list(pool.map(count, range(3))))
try: sqlite3.connect("/tmp/no/such/x.db")
except sqlite3.OperationalError as error: print(error)
try: path.write_bytes(b"not a database, certainly" * 50); sqlite3.connect(path).execute("SELECT * FROM kv")
except sqlite3.DatabaseError as error: print(type(error).__name__, error)
print(sqlite3.complete_statement("SELECT 'a;"), memory.getlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER) > 900, sorted(p.name for p in path.parent.glob("x.db*")))
