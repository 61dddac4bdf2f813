from datetime import datetime
from dateutil import parser, relativedelta, rrule, tz, easter
print(parser.parse("3 March 2026 4pm"), parser.isoparse("2026-01-02T03:04:05Z"), datetime(2026, 1, 31) + relativedelta.relativedelta(months=1), list(rrule.rrule(rrule.WEEKLY, count=3, dtstart=datetime(2026, 1, 1))), easter.easter(2026), datetime(2026, 7, 1, tzinfo=tz.gettz("Europe/Berlin")).isoformat(), tz.gettz("No/Where"), relativedelta.relativedelta(datetime(2026, 5, 1), datetime(2024, 2, 29)))
