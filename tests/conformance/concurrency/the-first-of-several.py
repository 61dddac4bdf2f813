import asyncio
calls = [asyncio.create_task(call) for call in (tools.test_tools.hang(), tools.test_tools.add(a=1, b=1))]
done, left = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
return done.pop().result().sum
