"""Times that exist twice or not at all."""
from datetime import datetime, timezone, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NY = ZoneInfo("America/New_York")

def kind(naive, tz):
    early, late = naive.replace(tzinfo=tz, fold=0), naive.replace(tzinfo=tz, fold=1)
    back = early.astimezone(timezone.utc).astimezone(tz).replace(tzinfo=None, fold=0)
    if early.utcoffset() == late.utcoffset():
        return "usual"
    return "ambiguous" if back == naive else "imaginary"

for naive in (datetime(2024, 3, 10, 2, 30), datetime(2024, 11, 3, 1, 30), datetime(2024, 7, 4, 12)):
    print(naive, kind(naive, NY))
    for fold in (0, 1):
        aware = naive.replace(tzinfo=NY, fold=fold)
        print("  fold", fold, aware.isoformat(), aware.tzname(), aware.astimezone(timezone.utc).time(), int(aware.timestamp()))
first = datetime(2024, 11, 3, 0, 30, tzinfo=NY)
print("wall clock:", first + timedelta(hours=2), "elapsed:", (first.astimezone(timezone.utc) + timedelta(hours=2)).astimezone(NY))
print("a difference in one zone ignores it:", datetime(2024, 11, 4, tzinfo=NY) - datetime(2024, 11, 3, tzinfo=NY))
print("in UTC:", datetime(2024, 11, 4, tzinfo=NY).astimezone(timezone.utc) - datetime(2024, 11, 3, tzinfo=NY).astimezone(timezone.utc))
for key in ("Mars/Olympus", "../etc/passwd", "UTC", "Etc/GMT+5", "EST5EDT", "US/Pacific"):
    try:
        zone = ZoneInfo(key)
        print(zone.key, repr(zone), datetime(2024, 7, 1, tzinfo=zone).utcoffset())
    except (ZoneInfoNotFoundError, ValueError) as error:
        print(type(error).__name__, error)
print(ZoneInfo("Asia/Kolkata") is ZoneInfo("Asia/Kolkata"), ZoneInfo.no_cache("Asia/Kolkata") is ZoneInfo("Asia/Kolkata"))
