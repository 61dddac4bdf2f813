from datetime import datetime, timezone
from zoneinfo import ZoneInfo

cases = [("Europe/Amsterdam", datetime(1930, 7, 1)), ("Africa/Monrovia", datetime(1971, 6, 1)), ("America/New_York", datetime(1850, 1, 1)),
         ("Asia/Shanghai", datetime(1988, 7, 1)), ("Europe/Moscow", datetime(2012, 7, 1)), ("Europe/Moscow", datetime(2015, 7, 1)),
         ("Asia/Pyongyang", datetime(2016, 1, 1)), ("Europe/Istanbul", datetime(2017, 1, 1)), ("Europe/Dublin", datetime(2024, 1, 1)),
         ("Antarctica/Troll", datetime(2024, 7, 1)), ("America/Godthab", datetime(2024, 7, 1)), ("Europe/London", datetime(1943, 7, 1))]
print("zone".ljust(20), "local".ljust(18), "offset")
for name, naive in cases:
    aware = naive.replace(tzinfo=ZoneInfo(name))
    print(f"{name:20} {naive:%d.%m.%Y %H:%M}   {str(aware.utcoffset()):>16} {aware.tzname():6} {aware.dst()} {aware.isoformat()}")
far = datetime(2200, 7, 1, 12, tzinfo=ZoneInfo("Europe/Rome"))
print(far.utcoffset(), far.astimezone(timezone.utc))
print(datetime(1, 1, 1, 12, tzinfo=ZoneInfo("Asia/Tokyo")).isoformat(), datetime(9999, 12, 31, tzinfo=ZoneInfo("America/Lima")).tzname())
try:
    datetime.min.replace(tzinfo=ZoneInfo("Asia/Tokyo")).astimezone(timezone.utc)
except OverflowError as error:
    print("OverflowError:", error)
