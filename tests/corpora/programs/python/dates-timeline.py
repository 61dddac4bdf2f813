import bisect
import heapq
from datetime import datetime, timedelta
from operator import attrgetter
from typing import NamedTuple

class Meeting(NamedTuple):
    start: datetime
    end: datetime
    title: str

def at(text): return datetime.strptime("2025-03-10 " + text, "%Y-%m-%d %H:%M")

meetings = [Meeting(at(a), at(b), t) for a, b, t in [
    ("09:00", "10:30", "planning"), ("10:00", "11:00", "interview"), ("13:15", "14:00", "review"),
    ("10:45", "11:30", "sync"), ("16:00", "17:45", "retro")]]
merged = []
for meeting in sorted(meetings):
    if merged and meeting.start <= merged[-1][1]:
        merged[-1][1] = max(merged[-1][1], meeting.end)
    else:
        merged.append([meeting.start, meeting.end])
busy = sum((end - start for start, end in merged), timedelta())
print("busy", busy, [f"{s:%H:%M}-{e:%H:%M}" for s, e in merged])
edges = [at("09:00"), *[t for pair in merged for t in pair], at("18:00")]
free = [(a, b) for a, b in zip(edges[::2], edges[1::2]) if b > a]
print("free", *(f"{a:%H:%M}+{(b - a).seconds // 60}min" for a, b in free))
rooms, heap = 0, []
for meeting in sorted(meetings, key=attrgetter("start")):
    while heap and heap[0] <= meeting.start:
        heapq.heappop(heap)
    heapq.heappush(heap, meeting.end)
    rooms = max(rooms, len(heap))
print("rooms", rooms)
starts = sorted(m.start for m in meetings)
print("before noon", bisect.bisect_left(starts, at("12:00")), "next", starts[bisect.bisect(starts, at("12:00"))].time())
print(max(meetings, key=lambda m: m.end - m.start))
print(meetings[0]._replace(title="x")._asdict())
