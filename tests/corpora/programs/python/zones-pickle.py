import copy, pickle
from datetime import datetime, tzinfo, timedelta, timezone, time
from zoneinfo import ZoneInfo

class Fixed(tzinfo):
    """An offset with a name, as in old code."""
    def __init__(self, minutes, name):
        self._offset, self._name = timedelta(minutes=minutes), name
    def __getinitargs__(self):
        return self._offset // timedelta(minutes=1), self._name
    def utcoffset(self, dt): return self._offset
    def dst(self, dt): return timedelta(0)
    def tzname(self, dt): return self._name
    def __repr__(self): return f"Fixed({self._name})"

here = datetime(2024, 6, 1, 12, tzinfo=Fixed(330, "IST"))
print(here, repr(here), here.tzname())
print(here.astimezone(ZoneInfo("America/St_Johns")), here.astimezone(Fixed(-210, "NST")))
for zone in (ZoneInfo("Europe/Madrid"), timezone.utc, timezone(timedelta(hours=1)), Fixed(60, "CET")):
    moment = here.astimezone(zone)
    again = pickle.loads(pickle.dumps(moment))
    print(again == moment, again.tzinfo is moment.tzinfo, repr(copy.deepcopy(moment)))
print(repr(timezone(timedelta(hours=1, seconds=30))), timezone(timedelta(minutes=-90)), timezone.utc)
print(time(12, tzinfo=ZoneInfo("Europe/Madrid")).utcoffset(), time(12, tzinfo=Fixed(5, "x")).isoformat())
for offset in (timedelta(hours=24), 5):
    try:
        timezone(offset)
    except (ValueError, TypeError) as error:
        print(type(error).__name__, error)
print(hash(here) == hash(here.astimezone(timezone.utc)), sorted([here, here - timedelta(1)])[0].day, here.utctimetuple()[:6])
