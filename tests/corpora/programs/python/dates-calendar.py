import calendar
from datetime import date, timedelta

def easter(year):
    a, b, c = year % 19, year // 100, year % 100
    d, e = divmod(b, 4)
    f = (b + 8) // 25
    g = (b - f + 1) // 3
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    l = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * l) // 451
    month, day = divmod(h + l - 7 * m + 114, 31)
    return date(year, month, day + 1)

print(calendar.month(2026, 11))
print(calendar.TextCalendar(calendar.SUNDAY).formatmonth(2024, 2))
for year in range(2023, 2029):
    sunday = easter(year)
    print(year, sunday, (sunday - timedelta(2)).strftime("Good Friday %A %-d %B"), calendar.isleap(year))
print(calendar.monthrange(2100, 2), calendar.leapdays(1900, 2101))
print([d.isoformat() for d in calendar.Calendar().itermonthdates(2026, 2)][:3])
third_fridays = [next(d for d in calendar.Calendar().itermonthdates(2026, m)
                      if d.month == m and d.weekday() == calendar.FRIDAY and d.day > 14) for m in range(1, 13)]
print(*(f"{d:%m-%d}" for d in third_fridays))
print(calendar.HTMLCalendar().formatmonth(2026, 2).splitlines()[3])
print(calendar.Month.MARCH, calendar.Day(3), repr(calendar.Month(5)), calendar.day_abbr[6])
