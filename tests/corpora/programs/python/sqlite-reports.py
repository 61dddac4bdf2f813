"""A pivot in SQL, printed as an aligned table with box drawing."""
import sqlite3
from itertools import chain, pairwise
import random

random.seed(5)
db = sqlite3.connect(":memory:")
db.execute("CREATE TABLE visits(day TEXT, page TEXT, country TEXT, ms REAL)")
db.executemany("INSERT INTO visits VALUES (date('2024-02-26', ?), ?, ?, ?)", [(f"+{random.randrange(7)} days", random.choice(["/", "/about", "/shop"]), random.choice(["DE", "FR", "日本"]), round(random.expovariate(1 / 120), 3)) for _ in range(300)])
def table(cursor):
    rows = [tuple("" if v is None else f"{v:.2f}" if isinstance(v, float) else str(v) for v in r) for r in cursor]
    head = tuple(d[0] for d in cursor.description)
    widths = [max(map(len, column)) for column in zip(head, *rows)]
    line = lambda l, m, r: l + m.join("─" * (w + 2) for w in widths) + r
    yield line("┌", "┬", "┐"); yield "│" + "│".join(f" {c:^{w}} " for c, w in zip(head, widths)) + "│"; yield line("├", "┼", "┤")
    for row in rows: yield "│" + "│".join(f" {c:>{w}} " for c, w in zip(row, widths)) + "│"
    yield line("└", "┴", "┘")
countries = [c for (c,) in db.execute("SELECT DISTINCT country FROM visits ORDER BY country")]
pivot = ", ".join(f"""sum(country = '{c}') AS "{c}" """ for c in countries)
print(*table(db.execute(f"SELECT page, {pivot}, count(*) AS total, avg(ms) AS mean, max(ms) AS worst FROM visits GROUP BY page")), sep="\n")
print(*table(db.execute("SELECT strftime('%w', day) AS weekday, count(*) AS n, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS pct, NULL AS empty FROM visits GROUP BY 1 ORDER BY n DESC, 1 LIMIT 3")), sep="\n")
ranked = db.execute("SELECT country, ms, row_number() OVER (PARTITION BY country ORDER BY ms DESC) AS place, cume_dist() OVER (ORDER BY ms) FROM visits ORDER BY place, country LIMIT 4").fetchall()
print(*ranked, sep="\n")
days = [d for (d,) in db.execute("SELECT day FROM visits GROUP BY day ORDER BY day")]
print(days[0], days[-1], all(a < b for a, b in pairwise(days)), list(chain.from_iterable(db.execute("SELECT sum(ms > 100), sum(ms BETWEEN 50 AND 100), sum(ms < 50) FROM visits"))))
