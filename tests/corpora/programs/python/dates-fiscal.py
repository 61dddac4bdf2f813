import json, datetime as dt
from collections import Counter

class DateEncoder(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, (dt.date, dt.datetime)):
            return {"$date": o.isoformat()}
        if isinstance(o, dt.timedelta):
            return {"$seconds": o.total_seconds()}
        return super().default(o)

def revive(obj):
    if "$date" in obj:
        text = obj["$date"]
        return dt.datetime.fromisoformat(text) if "T" in text else dt.date.fromisoformat(text)
    if "$seconds" in obj:
        return dt.timedelta(seconds=obj["$seconds"])
    return obj

def fiscal_quarter(day, first_month=4):
    shifted = (day.month - first_month) % 12
    year = day.year + (day.month >= first_month and first_month > 1)
    return f"FY{year % 100:02d}Q{shifted // 3 + 1}"

days = [dt.date(2023, 1, 1) + dt.timedelta(days=37 * n) for n in range(20)]
print(Counter(map(fiscal_quarter, days)).most_common(3))
record = {"day": days[3], "at": dt.datetime(2024, 5, 6, 7, 8, 9, 10), "took": dt.timedelta(minutes=90, milliseconds=5)}
text = json.dumps(record, cls=DateEncoder, indent=1)
print(text)
print(json.loads(text, object_hook=revive) == record)
try:
    json.dumps({"x": {1, 2}}, cls=DateEncoder)
except TypeError as error:
    print(error, getattr(error, "__notes__", None))
quarters = {fiscal_quarter(dt.date(2024, m, 1), 1): (m, f"{dt.date(2024, m, 1):%B}") for m in range(1, 13)}
print(quarters)
print(dt.datetime.combine(days[0], dt.time(23, 59, fold=1)).__repr__(), dt.time(1, 2).replace(microsecond=5))
