import csv, io
from datetime import datetime

file = await tools.files.read_text_file(path="signups.csv")
rows = {}
for row in csv.DictReader(io.StringIO(file.content)):
    email = row["email"].strip().lower()
    if not email or email in rows:
        continue
    day = row["day"].strip()
    if "/" in day:
        day = datetime.strptime(day, "%d/%m/%Y").date().isoformat()
    rows[email] = (" ".join(row["name"].split()).title(), email, day, row["plan"].strip().lower())

quoted = lambda value: "'" + value.replace("'", "''") + "'"
values = ", ".join("(" + ", ".join(map(quoted, row)) + ")" for row in rows.values())
await tools.database.create_table(query="CREATE TABLE signups (name TEXT, email TEXT PRIMARY KEY, day TEXT, plan TEXT)")
await tools.database.write_query(query=f"INSERT INTO signups VALUES {values}")
plans = await tools.database.read_query(query="SELECT plan, count(*) AS people, min(day) AS first FROM signups GROUP BY plan ORDER BY plan")
return {"stored": len(rows), "plans": plans}
