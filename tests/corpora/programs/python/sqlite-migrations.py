import sqlite3, hashlib, re
from dataclasses import dataclass

@dataclass(frozen=True)
class Migration:
    number: int
    up: str
    down: str = ""
    @property
    def digest(self): return hashlib.blake2b(self.up.encode(), digest_size=4).hexdigest()

MIGRATIONS = [
    Migration(1, "CREATE TABLE users(id INTEGER PRIMARY KEY AUTOINCREMENT, email TEXT UNIQUE)", "DROP TABLE users"),
    Migration(2, "ALTER TABLE users ADD COLUMN name TEXT NOT NULL DEFAULT 'unknown'", "ALTER TABLE users DROP COLUMN name"),
    Migration(3, "CREATE VIEW active AS SELECT id, upper(name) AS name FROM users WHERE email IS NOT NULL", "DROP VIEW active"),
    Migration(4, "ALTER TABLE users RENAME COLUMN email TO mail; CREATE UNIQUE INDEX ix ON users(lower(mail)) WHERE mail <> ''", ""),
    Migration(5, "INSERT INTO nowhere VALUES (1)"),
]
def version(db): return db.execute("PRAGMA user_version").fetchone()[0]
def migrate(db, target=None):
    for m in MIGRATIONS:
        if version(db) < m.number <= (target or 99):
            try:
                db.execute("BEGIN")
                for statement in re.split(r";\s*", m.up): db.execute(statement)
                db.execute(f"PRAGMA user_version = {m.number}"); db.execute("COMMIT"); print("applied", m.number, m.digest)
            except sqlite3.Error as error: db.execute("ROLLBACK"); print("failed", m.number, error); break
db = sqlite3.connect(":memory:", autocommit=True)
migrate(db, 2); print(version(db))
db.execute("INSERT INTO users(email) VALUES ('a@x'), (NULL)"); db.execute("INSERT INTO users(email, name) VALUES ('b@x', 'bea')")
migrate(db); print(version(db), db.execute("SELECT * FROM active").fetchall())
for sql, in db.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid"): print(sql)
try: db.execute("INSERT INTO users(mail) VALUES ('A@X')")
except sqlite3.IntegrityError as error: print(error, error.sqlite_errorcode)
print(db.execute("SELECT seq FROM sqlite_sequence").fetchone(), db.execute("SELECT mail FROM users WHERE mail = 'b@x' OR name = ?", ("unknown",)).fetchall(), db.autocommit, db.in_transaction)
db.execute("DELETE FROM users"); db.execute("INSERT INTO users(mail) VALUES ('z')"); print(db.execute("SELECT id, name FROM users").fetchone(), db.execute("SELECT name FROM active").fetchall())
