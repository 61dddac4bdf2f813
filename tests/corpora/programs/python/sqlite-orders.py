import sqlite3
from contextlib import closing

SCHEMA = """
PRAGMA foreign_keys = ON;
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, country TEXT CHECK (length(country) = 2));
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customers(id) ON DELETE CASCADE,
  day TEXT NOT NULL, amount REAL CHECK (amount > 0), status TEXT DEFAULT 'open');
CREATE INDEX by_customer ON orders(customer_id, day);
"""
with closing(sqlite3.connect(":memory:")) as db:
    db.executescript(SCHEMA)
    db.row_factory = sqlite3.Row
    db.executemany("INSERT INTO customers(name, country) VALUES (?, ?)", [("Ann", "DE"), ("Bob", "FR"), ("Cid", None)])
    db.executemany("INSERT INTO orders(customer_id, day, amount) VALUES (:c, :d, :a)",
                   [{"c": 1 + n % 2, "d": f"2024-{1 + n % 4:02}-15", "a": 10.5 * (n + 1)} for n in range(8)])
    for row in db.execute("""SELECT name, count(o.id) n, total(amount) sum, group_concat(strftime('%m', day), '/' ORDER BY day DESC) months
                             FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.id ORDER BY sum DESC"""):
        print(dict(row), row["NAME"], row[1], row.keys())
    cursor = db.execute("UPDATE orders SET status = 'paid' WHERE amount < ? RETURNING id, status", (25,))
    print([tuple(r) for r in cursor.fetchall()], cursor.rowcount, db.total_changes)
    for statement, values in [("INSERT INTO customers(name) VALUES ('ANN')", ()), ("INSERT INTO orders(customer_id, day) VALUES (99, 'x')", ()),
                              ("INSERT INTO customers VALUES (9, 'D', 'Germany')", ()), ("INSERT INTO customers(name) VALUES (NULL)", ()), ("SELECT * FROM nope", ()),
                              ("SELEC 1", ()), ("SELECT ?", ()), ("SELECT ?", (1, 2)), ("SELECT :x", {}), ("SELECT ?", ({},)), ("SELECT 1; SELECT 2", ()), ("SELECT nope FROM orders", ())]:
        try: db.execute(statement, values)
        except sqlite3.Error as error: print(type(error).__name__, error, getattr(error, "sqlite_errorname", None))
    try:
        with db:
            db.execute("DELETE FROM customers WHERE id = 1"); print(db.execute("SELECT count(*) FROM orders").fetchone()[0]); raise KeyError("undo")
    except KeyError: print(db.execute("SELECT count(*) FROM orders").fetchone()[0], db.in_transaction)
    print(db.execute("SELECT max(day) FROM orders").fetchone()["max(day)"], [r["detail"] for r in db.execute("EXPLAIN QUERY PLAN SELECT * FROM orders WHERE customer_id = 1")])
try: db.execute("SELECT 1")
except sqlite3.ProgrammingError as error: print(error)
