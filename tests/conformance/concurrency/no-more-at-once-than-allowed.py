import asyncio, time
started = time.monotonic()
await asyncio.gather(*(tools.test_tools.sleep(ms=50) for _ in range(6)))
return time.monotonic() - started >= 0.145
