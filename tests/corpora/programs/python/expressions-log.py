import re
from collections import Counter
from operator import itemgetter

LOG = '''127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] "GET /apache_pb.gif?x=1 HTTP/1.0" 200 2326
10.0.0.7 - - [11/Oct/2000:00:00:01 +0000] "POST /api/users HTTP/1.1" 500 -
::1 - ann [11/Oct/2000:00:00:02 +0000] "GET /index.html HTTP/1.1" 304 0
broken line
'''
LINE = re.compile(r'''
    ^(?P<host>\S+)\s+\S+\s+(?P<user>\S+)\s+
    \[(?P<time>[^\]]+)\]\s+
    "(?P<method>[A-Z]+)\s(?P<path>[^?"\s]*)(?:\?(?P<query>\S*))?\sHTTP/(?P<version>\d\.\d)"\s+
    (?P<status>\d{3})\s+(?P<size>\d+|-)$   # the size may be absent
''', re.VERBOSE | re.MULTILINE)
for found in LINE.finditer(LOG):
    fields = found.groupdict()
    print(itemgetter("host", "user", "method", "path", "query", "status")(fields), found.span("time"), found.lastgroup, found.lastindex)
print(Counter(m["status"][0] + "xx" for m in LINE.finditer(LOG)))
print(LINE.groups, LINE.groupindex["size"], len(LINE.pattern), LINE.flags, len(LINE.findall(LOG)[0]))
print([line for line in LOG.splitlines() if not LINE.match(line)])
masked = re.sub(r"\b(\d+)\.(\d+)\.\d+\.\d+\b", r"\1.\g<2>.x.x", LOG, count=1)
print(masked.split()[0], re.subn(r"\d", "#", "a1b22")[1], re.split(r"[ :/]+", "a b::c/d", maxsplit=2), re.split(r"(-)", "1-2-3"))
m = LINE.search(LOG, 50)
print(m and m.start(), repr(m)[:60], m.expand(r"\g<method> \g<status>"), m.pos, m.endpos == len(LOG), m.re is LINE)
print(re.sub(r"(?P<w>\w+) (?P=w)", lambda m: m["w"].upper() + f"[{m.start()}]", "the the cat sat sat down"))
