import asyncio
added = await host.add(a=1, b=2)
await asyncio.gather(host.sleep(ms=60_000), host.fail(message='the shop is closed'), host.sleep(ms=60_000))
print('never', added.sum)
