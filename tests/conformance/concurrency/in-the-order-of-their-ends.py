import asyncio
order = []
async def wait(ms):
    await tools.test_tools.sleep(ms=ms)
    order.append(ms)
await asyncio.gather(wait(500), wait(20), wait(250))
return order
