import sqlite3

db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE sales(region TEXT, month INT, amount INT)")
db.executemany("INSERT INTO sales VALUES (?,?,?)", [(r, m, (m * 37 + ord(r[0]) * 11) % 100) for r in ("north", "south", "east") for m in range(1, 6)])
query = """
SELECT region, month, amount,
  sum(amount) OVER (PARTITION BY region ORDER BY month) running,
  rank() OVER (ORDER BY amount DESC) rank,
  round(avg(amount) OVER (PARTITION BY region ORDER BY month ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), 2) smooth,
  lag(amount, 1, 0) OVER w previous, ntile(3) OVER w third, first_value(month) OVER (PARTITION BY region ORDER BY amount) cheapest
FROM sales WINDOW w AS (PARTITION BY region ORDER BY month) ORDER BY region, month LIMIT 7"""
cursor = db.execute(query)
print([c[0] for c in cursor.description])
for row in cursor: print(*row, sep="\t")
print(db.execute("""WITH RECURSIVE fib(n, a, b) AS (SELECT 1, 0, 1 UNION ALL SELECT n + 1, b, a + b FROM fib WHERE n < 60)
                    SELECT max(a), group_concat(a) FILTER (WHERE n < 12) FROM fib""").fetchone())
db.executescript("CREATE TABLE tree(id, parent, name); INSERT INTO tree VALUES (1, NULL, 'root'), (2, 1, 'usr'), (3, 2, 'bin'), (4, 1, 'etc'), (5, 3, 'env');")
for (path,) in db.execute("WITH RECURSIVE p(id, path) AS (SELECT id, name FROM tree WHERE parent IS NULL UNION ALL SELECT t.id, p.path || '/' || t.name FROM tree t JOIN p ON t.parent = p.id) SELECT path FROM p ORDER BY path"): print(path)
print(db.execute("SELECT region, sum(amount) FILTER (WHERE month % 2), json_group_array(amount) FROM sales GROUP BY region HAVING count(*) > 4 ORDER BY 2 DESC").fetchall())
print(db.execute("SELECT * FROM (SELECT region, amount FROM sales WHERE month = 1) EXCEPT SELECT 'north', amount FROM sales").fetchall())
print(db.execute("VALUES (1, 'a'), (2, 'b')").fetchall(), db.execute("SELECT CASE WHEN 5 BETWEEN 1 AND 9 THEN iif(1 > 2, 'x', 'y') END, coalesce(NULL, 3), nullif(1, 1), 7 / 2, 7 / 2.0, 7 % 3, '5' + 3, 1 = 1.0, 'a' < 'B', 1 IS NOT NULL").fetchone())
print(db.execute("SELECT date('2024-01-31', '+1 month'), julianday('2000-01-01'), strftime('%W %j %s', '2024-02-29 12:00'), datetime(86400, 'unixepoch'), time('12:00', '-90 minutes'), date('2024-02-29', 'start of month', '-1 day', 'weekday 0'), timediff('2024-03-01', '2023-01-15')").fetchone())
