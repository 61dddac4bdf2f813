import csv, io, sqlite3, textwrap

CSV = '''id;name;joined;salary;manager
1;"Müller; Jürgen";2019-03-01;5.200,50;
2;O'Neil;2020-11-15;4.100,00;1
3;"Said ""Bob""";2021-02-28;3.999,99;1
4;Ng;not a date;x;2
'''
db = sqlite3.connect(":memory:")
rows = csv.DictReader(io.StringIO(CSV), delimiter=";")
columns = rows.fieldnames
db.execute(f"CREATE TABLE staff ({', '.join(f'{c} TEXT' for c in columns)})")
bad = []
def clean(row):
    try: row["salary"] = float(row["salary"].replace(".", "").replace(",", "."))
    except ValueError as error: bad.append((rows.line_num, str(error))); row["salary"] = None
    return tuple(v or None for v in row.values())
db.executemany(f"INSERT INTO staff VALUES ({','.join('?' * len(columns))})", map(clean, rows))
print(columns, bad, db.execute("SELECT changes(), last_insert_rowid()").fetchone())
for row in db.execute("SELECT e.name, m.name, e.salary, typeof(e.salary), date(e.joined), CAST(e.salary AS INTEGER) FROM staff e LEFT JOIN staff m ON e.manager = m.id ORDER BY e.salary IS NULL, CAST(e.salary AS REAL) DESC"): print(row)
cursor = db.execute("SELECT name, salary FROM staff")
widths = [12, 8]
print(" | ".join(d[0].ljust(w) for d, w in zip(cursor.description, widths)))
while batch := cursor.fetchmany(3): print(len(batch), [tuple(str(v)[:w].ljust(w) for v, w in zip(r, widths)) for r in batch])
db.row_factory = lambda cursor, row: {d[0]: v for d, v in zip(cursor.description, row)}
print(db.execute("SELECT count(*) AS n, avg(salary) AS mean, min(name) AS first FROM staff").fetchone())
out = io.StringIO(); writer = csv.DictWriter(out, ["name", "n"], extrasaction="ignore", lineterminator="\n", quoting=csv.QUOTE_MINIMAL); writer.writeheader(); writer.writerows(db.execute("SELECT name, salary AS n, id FROM staff LIMIT 3")); print(out.getvalue())
db.row_factory = None
print(db.execute("PRAGMA table_info(staff)").fetchall()[:2], db.execute("SELECT name FROM pragma_table_info('staff') WHERE name LIKE '%a%'").fetchall())
print([r[0] for r in db.execute("SELECT DISTINCT substr(joined, 1, 4) y FROM staff ORDER BY y")], db.execute("SELECT max(length(name)), total(salary), sum(manager), 1 / 0, 9223372036854775807 + 1, 2 << 62 FROM staff").fetchone())
try: db.execute("SELECT sum(x) FROM (SELECT 9223372036854775807 x UNION ALL SELECT 1)").fetchone()
except sqlite3.OperationalError as error: print(error)
try: db.execute("SELECT ?", (2**63,))
except OverflowError as error: print(error)
