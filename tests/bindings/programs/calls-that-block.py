import asyncio
await asyncio.gather(*(host.block(ms=50) for n in range(4)))
return (await host.add(a=1, b=1)).sum
