from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

def transitions(zone, year):
    tz, found = ZoneInfo(zone), []
    moment = datetime(year, 1, 1, tzinfo=timezone.utc)
    before = moment.astimezone(tz).utcoffset()
    while moment.year == year:
        after = (moment + timedelta(days=2)).astimezone(tz).utcoffset()
        if after != before:
            low, high = moment, moment + timedelta(days=2)
            while high - low > timedelta(seconds=1):
                middle = low + (high - low) // 2
                low, high = (middle, high) if middle.astimezone(tz).utcoffset() == before else (low, middle)
            found.append((high.replace(microsecond=0), before, after))
            before = after
        moment += timedelta(days=2)
    return found

for zone, year in [("Europe/Paris", 2025), ("America/Sao_Paulo", 2018), ("Australia/Lord_Howe", 2024), ("Africa/Casablanca", 2024),
                   ("Pacific/Apia", 2011), ("Asia/Tokyo", 2024), ("America/Caracas", 2016), ("Europe/London", 1968)]:
    for at, before, after in transitions(zone, year):
        hours = (after - before) / timedelta(hours=1)
        print(f"{zone:22}{at:%Y-%m-%d %H:%M}Z {hours:+.1f}h -> {at.astimezone(ZoneInfo(zone)):%H:%M %Z}")
