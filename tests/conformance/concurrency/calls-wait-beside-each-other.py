import asyncio, time
started = time.monotonic()
await asyncio.gather(*(tools.test_tools.sleep(ms=300) for _ in range(20)))
return time.monotonic() - started < 3
