import asyncio

said = await asyncio.gather(*[host.add(a=n, b=1) for n in range(20)])
result = said[19]
result
