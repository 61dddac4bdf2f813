answer = host.rows(count=COUNT)
rows = answer["rows"]
regions = {}
for row in rows:
    if row["status"] == "cancelled":
        continue
    regions.setdefault(row["region"], []).append(row["amount"])
report = []
for region in sorted(regions):
    amounts = sorted(regions[region])
    mean = int(sum(amounts) / len(amounts))
    median = amounts[len(amounts) // 2]
    report.append({"region": region, "count": len(amounts), "mean": mean, "median": median})
paid = [row for row in rows if row["status"] == "paid"]
paid.sort(key=lambda row: (-row["amount"], row["id"]))
result = {"report": report, "largest": [row["id"] for row in paid[:5]]}
result
