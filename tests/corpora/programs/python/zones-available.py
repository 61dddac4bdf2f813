import zoneinfo
from collections import Counter
from datetime import datetime, timedelta, UTC

zones = zoneinfo.available_timezones()
print(len(zones) > 480, {"Europe/Rome", "America/Argentina/Buenos_Aires", "Asia/Kolkata"} <= zones)
moment = datetime(2024, 1, 15, 12, tzinfo=UTC)
wanted = sorted(z for z in zones if z.startswith(("Europe/", "Asia/", "America/", "Africa/", "Australia/", "Pacific/")))
areas = Counter(z.split("/")[0] for z in wanted)
print(areas.most_common(2)[0][0])
odd = sorted({moment.astimezone(zoneinfo.ZoneInfo(z)).utcoffset() for z in wanted if
              moment.astimezone(zoneinfo.ZoneInfo(z)).utcoffset() % timedelta(hours=1)})
print("odd offsets:", *(str(o) for o in odd))
extremes = sorted(wanted, key=lambda z: (moment.astimezone(zoneinfo.ZoneInfo(z)).utcoffset(), z))
print(extremes[0], extremes[-1])
southern = [z for z in wanted if z.startswith("A") and moment.astimezone(zoneinfo.ZoneInfo(z)).dst()]
print(len(southern), southern[:6])
abbreviations = {z: moment.astimezone(zoneinfo.ZoneInfo(z)).tzname() for z in ("Asia/Dubai", "Asia/Manila", "Europe/Lisbon", "Africa/Lagos", "America/Bogota", "Pacific/Guam")}
print(abbreviations)
utc = zoneinfo.ZoneInfo("UTC")
print(utc.utcoffset(None), utc.tzname(None), zoneinfo.ZoneInfo("Europe/Rome").utcoffset(None), str(utc))
