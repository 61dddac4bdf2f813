from datetime import datetime, timedelta
from itertools import count, islice, takewhile

def add_months(moment, months):
    index = moment.month - 1 + months
    year, month = moment.year + index // 12, index % 12 + 1
    last = [31, 29 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 28,
            31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    return moment.replace(year=year, month=month, day=min(moment.day, last))

def every(start, *, months=0, **delta):
    for n in count():
        yield add_months(start, n * months) + timedelta(**delta) * n

start = datetime(2023, 10, 31, 9, 30)
print("monthly")
for when in islice(every(start, months=1), 6):
    print("  ", when.isoformat(sep=" ", timespec="minutes"))
print("every 36 hours")
for when in takewhile(lambda w: w < datetime(2023, 11, 6), every(start, hours=36)):
    print("  ", when.strftime("%a %d %b %H:%M | week %V | day %j | %p %I"))
span = datetime(2024, 2, 29, 23, 59, 59, 999_999) - start
print(span, repr(span), span.total_seconds(), span // timedelta(days=7), span % timedelta(days=7))
print(timedelta(hours=-1), repr(timedelta(hours=-1)), abs(timedelta(-3, 5)), timedelta(weeks=1, days=-2, microseconds=3) / 7)
try:
    start + timedelta(days=10**9)
except OverflowError as error:
    print(type(error).__name__, error)
