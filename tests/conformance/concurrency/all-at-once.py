import asyncio
calls = [tools.test_tools.add(a=n, b=0) for n in range(20)]
return [int(added.sum) for added in await asyncio.gather(*calls)]
