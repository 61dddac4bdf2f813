import asyncio
await asyncio.Future()
