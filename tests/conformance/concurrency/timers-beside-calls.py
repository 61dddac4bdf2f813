import asyncio
order = []
async def tick():
    while True:
        await asyncio.sleep(0.04)
        order.append('tick')
ticking = asyncio.create_task(tick())
await tools.test_tools.sleep(ms=500)
ticking.cancel()
return len(order) >= 3
