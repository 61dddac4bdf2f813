import sqlite3, math, statistics, re, json, datetime, decimal

db = sqlite3.connect(":memory:", detect_types=sqlite3.PARSE_DECLTYPES | sqlite3.PARSE_COLNAMES)
class Median:
    def __init__(self): self.values = []
    def step(self, value): self.values.append(value)
    def finalize(self): return statistics.median(self.values)
class WindowSum:
    def __init__(self): self.total = 0
    def step(self, v): self.total += v
    def inverse(self, v): self.total -= v
    def value(self): return self.total
    finalize = value
db.create_function("regexp", 2, lambda pattern, text: bool(re.search(pattern, text or "")), deterministic=True)
db.create_function("hypot", -1, math.hypot)
db.create_function("boom", 0, lambda: 1 / 0)
db.create_aggregate("median", 1, Median)
db.create_window_function("wsum", 1, WindowSum)
db.create_collation("by_length", lambda a, b: (len(a) > len(b)) - (len(a) < len(b)))
sqlite3.register_adapter(decimal.Decimal, str); sqlite3.register_converter("money", lambda b: decimal.Decimal(b.decode()))
sqlite3.register_adapter(dict, json.dumps); sqlite3.register_converter("json", json.loads)
sqlite3.register_adapter(datetime.date, lambda d: d.isoformat()); sqlite3.register_converter("day", lambda b: datetime.date.fromisoformat(b.decode()))
db.execute("CREATE TABLE t(word TEXT, price money, data json, at day)")
db.executemany("INSERT INTO t VALUES (?,?,?,?)", [(w, decimal.Decimal(p), {"n": n}, datetime.date(2024, 1, n + 1)) for n, (w, p) in enumerate([("banana", "1.10"), ("fig", "22.05"), ("apple", "0.99"), ("kiwi", "3")])])
for row in db.execute("SELECT * FROM t ORDER BY word COLLATE by_length, rowid"): print(row)
print(db.execute("SELECT word FROM t WHERE word REGEXP '^[a-f].*a$'").fetchall(), db.execute("SELECT median(length(word)), hypot(3, 4), hypot(1, 2, 2) FROM t").fetchone())
print(db.execute("SELECT word, wsum(length(word)) OVER (ORDER BY word ROWS 1 PRECEDING) FROM t").fetchall())
print(db.execute("SELECT max(at) AS 'at [day]', upper(word), printf('%05.1f|%-6s|%x', 3.14159, 'ab', 255), instr('hello', 'l'), substr('hello', -3, 2), replace('aXbX', 'X', '-'), trim('  x '), hex('hi'), unicode('é'), char(8364, 65), quote('it''s'), typeof(1.0), round(2.567, 1), abs(-3), random() IS NOT NULL FROM t").fetchone())
for bad in ("SELECT boom()", "SELECT hypot('a')", "SELECT nofunc()", "SELECT median(1, 2)"):
    try: db.execute(bad).fetchall()
    except sqlite3.Error as error: print(type(error).__name__, error)
print(db.execute("SELECT json_extract(data, '$.n'), data ->> 'n', json_set(data, '$.x', json('[1,2]')) FROM t LIMIT 1 OFFSET 2").fetchone(), db.execute("SELECT key, value, type FROM json_each('{\"a\": [1], \"b\": null, \"c\": 2.5}')").fetchall())
db.text_factory = bytes; print(db.execute("SELECT word FROM t").fetchone(), sqlite3.threadsafety in (0, 1, 3), sqlite3.apilevel, sqlite3.paramstyle)
db.set_trace_callback(lambda s: print("trace:", s)); db.execute("SELECT ?", ("x",)); db.set_trace_callback(None)
