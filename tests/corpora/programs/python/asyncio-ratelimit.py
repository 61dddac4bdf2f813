import asyncio
from collections import deque

class VirtualClock:
    """Time that only moves when someone sleeps on it."""
    def __init__(self): self.now, self.sleepers, self.counter = 0.0, [], 0
    async def sleep(self, seconds):
        future = asyncio.get_running_loop().create_future()
        self.sleepers.append((self.now + seconds, self.counter, future)); self.counter += 1
        await future
    async def drive(self, until):
        while not until.done():
            for _ in range(10): await asyncio.sleep(0)
            if self.sleepers:
                self.sleepers.sort(key=lambda s: s[:2])
                self.now, _, future = self.sleepers.pop(0)
                if not future.done(): future.set_result(None)

class TokenBucket:
    def __init__(self, clock, rate, burst): self.clock, self.rate, self.tokens, self.burst, self.last, self.lock = clock, rate, burst, burst, 0.0, asyncio.Lock()
    async def take(self):
        async with self.lock:
            while True:
                self.tokens = min(self.burst, self.tokens + (self.clock.now - self.last) * self.rate); self.last = self.clock.now
                if self.tokens >= 1: self.tokens -= 1; return
                await self.clock.sleep((1 - self.tokens) / self.rate)

async def main():
    clock, times = VirtualClock(), []
    bucket = TokenBucket(clock, rate=4, burst=2)
    async def request(n):
        await bucket.take(); times.append((n, clock.now)); await clock.sleep(0.5); return n
    everything = asyncio.ensure_future(asyncio.gather(*(request(n) for n in range(7))))
    await clock.drive(everything)
    print(everything.result()); print(*(f"{n}@{t:.2f}" for n, t in times)); print(clock.now)
    window, rejected = deque(), []
    for t in (0, 0.1, 0.2, 0.9, 1.05, 1.15, 2.5):
        while window and window[0] <= t - 1: window.popleft()
        (window.append if len(window) < 3 else rejected.append)(t)
    print(list(window), rejected)
    async def debounce(values, wait):
        last = None
        for value, gap in values:
            if last is not None and gap >= wait: yield last
            last = value
        yield last
    print([v async for v in debounce([("h", 0), ("he", 1), ("hel", 5), ("help", 1), ("helpe", 9)], 3)])
asyncio.run(main())
