query = "select customer, sum(eur) from frame where status = ? group by 1 order by 2 desc"
customer, eur = db.execute(query, ["pending"]).fetchone()
return f"{customer} waits for {eur:.2f} EUR"
