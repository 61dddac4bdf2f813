import asyncio
await asyncio.gather(tools.test_tools.hang(), tools.test_tools.fail())
