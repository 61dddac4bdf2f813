from __future__ import annotations
import functools
from datetime import date, timedelta
from enum import IntEnum
from typing import Iterator

class Weekday(IntEnum):
    MON, TUE, WED, THU, FRI, SAT, SUN = range(7)

HOLIDAYS = frozenset({date(2024, 12, 25), date(2024, 12, 26), date(2025, 1, 1), date(2025, 4, 18)})

@functools.cache
def is_business_day(day: date) -> bool:
    return day.weekday() < Weekday.SAT and day not in HOLIDAYS

def days(start: date, end: date) -> Iterator[date]:
    step = timedelta(days=1)
    while start < end:
        yield start
        start += step

def add_business_days(day: date, n: int) -> date:
    step = timedelta(days=1 if n >= 0 else -1)
    while n:
        day += step
        if is_business_day(day):
            n -= 1 if n > 0 else -1
    return day

for n in (1, 5, 10, -3, 0):
    result = add_business_days(date(2024, 12, 23), n)
    print(f"{n:+d} -> {result} {Weekday(result.weekday()).name} {Weekday(result.weekday())!r}")
print("working days", sum(map(is_business_day, days(date(2024, 12, 1), date(2025, 2, 1)))))
weeks: dict[tuple[int, int], list[str]] = {}
for day in filter(is_business_day, days(date(2024, 12, 20), date(2025, 1, 8))):
    weeks.setdefault(day.isocalendar()[:2], []).append(day.strftime("%d"))
for (year, week), list_of_days in weeks.items():
    print(f"{year}-W{week:02}: {' '.join(list_of_days)}")
print(is_business_day.cache_info())
print(date(2024, 12, 30).isocalendar().week, [*Weekday][-1], Weekday["WED"] + 1)
