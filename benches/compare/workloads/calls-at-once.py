import asyncio

answers = await asyncio.gather(*[host.echo(n=n) for n in range(1000)])
result = sum([answer["n"] for answer in answers])
result
