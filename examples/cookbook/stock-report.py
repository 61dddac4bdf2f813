import csv
with open("stock.csv", newline="") as file:
    short = [row for row in csv.DictReader(file) if int(row["stock"]) <= int(row["level"])]
with open("report.md", "w") as report:
    print("# To order\n", file=report)
    for row in short:
        print(f"- {row['name']}: {row['stock']} left", file=report)
return f"{len(short)} products are in report.md"
