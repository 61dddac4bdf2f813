#!/usr/bin/env python3
"""How old people are, in years, months and days; their next birthdays."""
from datetime import date
import calendar

PEOPLE = {"Ada": date(1815, 12, 10), "Leap": date(2000, 2, 29), "Grace": date(1906, 12, 9), "Today": date(2025, 6, 30)}
NOW = date(2025, 6, 30)

def clamp(year: int, month: int, day: int) -> date:
    return date(year, month, min(day, calendar.monthrange(year, month)[1]))

def age(born: date, now: date) -> tuple[int, int, int]:
    months = (now.year - born.year) * 12 + now.month - born.month - (now.day < born.day)
    years, rest = divmod(months, 12)
    total = born.month - 1 + months
    anchor = clamp(born.year + total // 12, total % 12 + 1, born.day)
    return years, rest, (now - anchor).days

def next_birthday(born: date, now: date) -> date:
    candidate = clamp(now.year, born.month, born.day)
    return candidate if candidate > now else clamp(now.year + 1, born.month, born.day)

for name, born in sorted(PEOPLE.items(), key=lambda item: item[1]):
    years, months, days = age(born, NOW)
    upcoming = next_birthday(born, NOW)
    print(f"{name:6} born {born:%A, %d %B %Y}: {years}y {months}m {days}d; "
          f"next on {upcoming} ({(upcoming - NOW).days} days), ordinal {born.toordinal()}")
print(date(2025, 6, 30) == date.fromordinal(739432), hash(date(2025, 1, 1)) == hash(date(2025, 1, 1)))
print(date.min, date.max, (date.max - date.min).days)
match NOW:
    case date(year=y, month=6 | 7 | 8):
        print("summer of", y)
