import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table frame (customer, status, eur)")
rows = [(o.customerId, o.status, o.totalEurCents / 100) for o in page["items"]]
return db.executemany("insert into frame values (?, ?, ?)", rows).rowcount
