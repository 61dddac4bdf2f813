import asyncio
numbers = range(20)
await asyncio.gather(*(host.sleep(ms=100) for n in numbers))
sums = await asyncio.gather(*(host.add(a=n, b=n) for n in numbers))
return sum(each.sum for each in sums)
