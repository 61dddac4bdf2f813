from __future__ import annotations
import asyncio, json, itertools
from dataclasses import dataclass, field

@dataclass
class Bus:
    topics: dict[str, set[asyncio.Queue]] = field(default_factory=dict)
    ids: itertools.count = field(default_factory=lambda: itertools.count(1), repr=False)

    async def subscribe(self, topic, *, limit=None):
        queue = asyncio.Queue(); self.topics.setdefault(topic, set()).add(queue)
        try:
            for _ in itertools.count() if limit is None else range(limit): yield await queue.get()
        finally:
            self.topics[topic].discard(queue)
            if not self.topics[topic]: del self.topics[topic]

    def publish(self, topic, payload):
        message = json.dumps({"id": next(self.ids), "topic": topic, "payload": payload}, sort_keys=True)
        receivers = self.topics.get(topic, ())
        for queue in receivers: queue.put_nowait(message)
        return len(receivers)

async def listen(bus, topic, limit, name, out):
    async for message in bus.subscribe(topic, limit=limit):
        out.append((name, json.loads(message)["payload"]))

async def main():
    bus, out = Bus(), []
    listeners = [asyncio.create_task(listen(bus, t, n, f"{t}{i}", out), name=f"{t}{i}") for i, (t, n) in enumerate([("news", 2), ("news", 3), ("ads", 1)])]
    await asyncio.sleep(0)
    print(sorted(bus.topics), [len(q) for _, q in sorted(bus.topics.items())])
    print([bus.publish(t, p) for t, p in (("news", "a"), ("ads", {"x": None}), ("none", 1), ("news", [1.5, True]), ("ads", "lost?"))])
    await asyncio.sleep(0.01)
    print(sorted(map(str, out)))
    print([t.done() for t in listeners], bus.topics.keys(), bus.publish("news", "last"))
    await asyncio.wait_for(asyncio.gather(*listeners), 1)
    print(len(out), bus.topics, bus)
    stream = asyncio.StreamReader(); stream.feed_data(b"line one\nline two\n\x00\x05hello rest"); stream.feed_eof()
    print(await stream.readline(), await stream.readuntil(b"\n"), int.from_bytes(await stream.readexactly(2)), await stream.read(5), await stream.read(), stream.at_eof())
    try: await stream.readexactly(3)
    except asyncio.IncompleteReadError as error: print(error, error.partial)
asyncio.run(main())
