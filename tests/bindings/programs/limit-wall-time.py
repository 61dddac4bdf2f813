import asyncio
print('before')
await asyncio.sleep(60)
