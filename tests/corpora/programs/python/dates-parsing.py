from datetime import datetime, date, time, timezone, timedelta

texts = [
    ("2024-02-29", "%Y-%m-%d"), ("29/02/24", "%d/%m/%y"), ("Feb 29, 2024 1:05 PM", "%b %d, %Y %I:%M %p"),
    ("2024-060", "%Y-%j"), ("Thu, 29 Feb 2024 23:59:60 +0530", "%a, %d %b %Y %H:%M:%S %z"),
    ("2024-W09-4", "%G-W%V-%u"), ("1709164800.5", "%s"), ("30/02/2024", "%d/%m/%Y"), ("2024-02-29 extra", "%Y-%m-%d"),
]
for text, form in texts:
    try:
        print(f"{text!r:40} -> {datetime.strptime(text, form)!r}")
    except ValueError as error:
        print(f"{text!r:40} -> {type(error).__name__}: {error}")
for text in ["2024-02-29T10:00:00Z", "20240229T100000.123456+02", "2024-W09-4T08", "2024-02-29 24:00", "2024-13-01", "10:00"]:
    try:
        value = datetime.fromisoformat(text)
        print(text, value.isoformat(), value.tzinfo)
    except ValueError as error:
        print(text, "!", error)
print(date.fromisocalendar(2020, 53, 7), time.fromisoformat("T04:23:01,5"), date.strptime("3 May 2021", "%d %B %Y"))
moment = datetime(2024, 2, 29, 12, tzinfo=timezone(timedelta(hours=-3, minutes=-30), "NST"))
print(moment, moment.tzname(), moment.astimezone(timezone.utc), moment.timestamp())
print(f"{moment:%c|%x|%X|%U %W|%f|%z %:z|%%}")
print(datetime.fromtimestamp(1e9, timezone.utc), datetime.max, datetime.min.isoformat(), date.resolution)
