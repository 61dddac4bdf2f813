from datetime import datetime
from zoneinfo import ZoneInfo

offices = {"San Francisco": "America/Los_Angeles", "New York": "America/New_York", "London": "Europe/London",
           "Kathmandu": "Asia/Kathmandu", "Adelaide": "Australia/Adelaide", "Chatham": "Pacific/Chatham"}
call = datetime(2024, 10, 31, 15, 0, tzinfo=ZoneInfo("Europe/Berlin"))
print("The call:", call, call.utcoffset())
for city, zone in offices.items():
    local = call.astimezone(ZoneInfo(zone))
    day = "" if local.date() == call.date() else f" ({(local.date() - call.date()).days:+d} day)"
    print(f"{city:>14}: {local:%a %H:%M %Z %z}{day} dst={local.dst()}")
working = [city for city, zone in offices.items() if 9 <= call.astimezone(ZoneInfo(zone)).hour < 17]
print("at work:", working)
same = [call.astimezone(ZoneInfo(z)) for z in offices.values()]
print(len(set(same)), all(moment == call for moment in same), {m.timestamp() for m in same})
print(repr(same[3]))
print(same[0].isoformat(), same[-1].replace(tzinfo=None))
