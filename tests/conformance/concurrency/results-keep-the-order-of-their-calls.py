import asyncio
async def after(ms):
    await tools.test_tools.sleep(ms=ms)
    return ms
return await asyncio.gather(after(200), after(1), after(80))
