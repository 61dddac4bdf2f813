from email.utils import format_datetime, parsedate_to_datetime, formatdate, parsedate_tz, mktime_tz
from datetime import datetime, timezone
from zoneinfo import ZoneInfo
import time, calendar

headers = ["Mon, 20 Nov 1995 19:12:08 -0500", "Fri, 29 Feb 2008 01:02:03 GMT", "1 Jan 2024 00:00 EST", "Thu, 01 Jan 1970 00:00:00 -0000",
           "Sat, 31 Dec 16 23:59:60 +0000"]
for header in headers:
    try:
        moment = parsedate_to_datetime(header)
        print(header, "->", moment.isoformat(), moment.tzinfo)
    except ValueError as error:
        print(header, "!", error)
    print("   ", parsedate_tz(header))
print(mktime_tz(parsedate_tz(headers[0])))
print(format_datetime(datetime(2024, 7, 1, 8, tzinfo=ZoneInfo("Asia/Tokyo"))))
print(format_datetime(datetime(2024, 7, 1, 8, tzinfo=timezone.utc), usegmt=True))
print(formatdate(0, usegmt=True), formatdate(1.5e9))
stamp = time.strptime("2001-09-09 01:46:40", "%Y-%m-%d %H:%M:%S")
print(stamp)
print(calendar.timegm(stamp), time.strftime("%A %B %d %I:%M:%S %p", time.gmtime(10**9)), time.asctime(time.gmtime(0)))
print(time.localtime(10**9).tm_zone, time.tzname, time.timezone, time.ctime(86400 * 365))
print(time.gmtime(-1), time.struct_time((2024, 2, 30, 25, 61, 0, 0, 0, 0)).tm_mday)
