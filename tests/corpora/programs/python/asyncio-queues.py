"""A crawler over a graph in memory: workers, a queue, a limit, politeness."""
import asyncio
from collections import defaultdict

GRAPH = {"/": ["/a", "/b", "/missing"], "/a": ["/b", "/c"], "/b": ["/", "/d"], "/c": [], "/d": ["/c", "/e"], "/e": ["/"]}

class Crawler:
    def __init__(self, workers=3, limit=2):
        self.queue: asyncio.Queue[tuple[int, str]] = asyncio.PriorityQueue()
        self.seen, self.errors, self.depth = set(), {}, defaultdict(list)
        self.limit, self.busy, self.peak, self.workers = asyncio.Semaphore(limit), 0, 0, workers

    async def fetch(self, url):
        async with self.limit:
            self.busy += 1; self.peak = max(self.peak, self.busy)
            await asyncio.sleep(0.005)
            self.busy -= 1
        try: return GRAPH[url]
        except KeyError: raise FileNotFoundError(404, "Not Found", url) from None

    async def work(self):
        while True:
            depth, url = await self.queue.get()
            try:
                self.depth[depth].append(url)
                for link in await self.fetch(url):
                    if link not in self.seen:
                        self.seen.add(link); self.queue.put_nowait((depth + 1, link))
            except OSError as error:
                self.errors[url] = str(error)
            finally:
                self.queue.task_done()

    async def run(self):
        self.seen.add("/"); await self.queue.put((0, "/"))
        workers = [asyncio.create_task(self.work()) for _ in range(self.workers)]
        await self.queue.join()
        for w in workers: w.cancel()
        print([type(r).__name__ for r in await asyncio.gather(*workers, return_exceptions=True)])

async def main():
    crawler = Crawler(); await crawler.run()
    for depth, urls in sorted(crawler.depth.items()): print(depth, sorted(urls))
    print(crawler.errors, crawler.peak, crawler.queue.empty())
    bounded = asyncio.Queue(maxsize=2); got = []
    async def produce():
        for n in range(6): await bounded.put(n)
        bounded.shutdown()
    async def consume():
        try:
            while True: got.append((await bounded.get(), bounded.qsize()))
        except asyncio.QueueShutDown: got.append("shut down")
    await asyncio.gather(produce(), consume()); print(got)
    try: asyncio.Queue().get_nowait()
    except asyncio.QueueEmpty as error: print("empty", repr(error))
asyncio.run(main())
