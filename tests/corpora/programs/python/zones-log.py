import io, csv
from collections import defaultdict
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

LOG = """\
when,user,zone,event
2025-03-30T00:59:59+00:00,ann,Europe/Berlin,login
2025-03-30T01:00:00+00:00,ann,Europe/Berlin,purchase
2025-03-29T20:15:00-07:00,bob,America/Los_Angeles,login
2025-03-30T10:00:00+05:45,cid,Asia/Kathmandu,login
2025-03-29T23:59:00Z,bob,America/Los_Angeles,logout
1743292800,dee,Pacific/Auckland,login
"""
def instant(text):
    if text.isdecimal():
        return datetime.fromtimestamp(int(text), tz=timezone.utc)
    return datetime.fromisoformat(text)

events = sorted(csv.DictReader(io.StringIO(LOG)), key=lambda row: instant(row["when"]))
by_day = defaultdict(list)
for row in events:
    utc = instant(row["when"]).astimezone(timezone.utc)
    local = utc.astimezone(ZoneInfo(row["zone"]))
    by_day[local.date()].append(f"{row['user']}:{row['event']}")
    print(f"{utc:%H:%M:%S}Z | {local:%Y-%m-%d %H:%M:%S %Z} | {row['user']} {row['event']}")
for day in sorted(by_day):
    print(day.strftime("%a %d"), by_day[day])
span = instant(events[-1]["when"]) - instant(events[0]["when"])
print("span", span)
try:
    print(datetime(2025, 1, 1) < instant(events[0]["when"]))
except TypeError as error:
    print("TypeError:", error)
writer = csv.writer(out := io.StringIO(), quoting=csv.QUOTE_NONNUMERIC)
writer.writerow([events[0]["user"], instant(events[0]["when"]).timestamp(), None])
print(repr(out.getvalue()))
