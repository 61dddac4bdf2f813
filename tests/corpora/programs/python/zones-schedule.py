from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo
import heapq

@dataclass(order=True)
class Job:
    at: datetime
    name: str = field(compare=False)
    zone: str = field(compare=False)
    clock: time = field(compare=False, repr=False)

    def following(self):
        day = self.at.astimezone(ZoneInfo(self.zone)).date() + timedelta(days=1)
        return Job.on(day, self.name, self.zone, self.clock)

    @classmethod
    def on(cls, day, name, zone, clock):
        local = datetime.combine(day, clock, ZoneInfo(zone))
        return cls(local.astimezone(timezone.utc), name, zone, clock)

start = date(2025, 3, 8)
queue = [Job.on(start, "backup", "America/Chicago", time(2, 30)), Job.on(start, "report", "Europe/Zurich", time(7)),
         Job.on(start, "sweep", "Asia/Tehran", time(0, 0))]
heapq.heapify(queue)
print(queue[0])
for _ in range(9):
    job = heapq.heappop(queue)
    local = job.at.astimezone(ZoneInfo(job.zone))
    print(f"{job.at:%d %H:%M}Z {job.name:7} {local:%a %H:%M%z} clock kept: {local.time() == job.clock}")
    heapq.heappush(queue, job.following())
print(min(queue).name, [j.name for j in sorted(queue)], queue[0] < queue[1])
