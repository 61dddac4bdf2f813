"""Leaves `ampoule serve` while scripts run, with the official client 1.x: python leaving.py AMPOULE. What it complains of ends up on standard error."""

import asyncio
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(ampoule):
    server = StdioServerParameters(command=ampoule, args=["serve"], env=dict(os.environ))
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        # None of these has an answer of its own: what comes, comes of the leaving. (Where one came in time, this client would fail, too.)
        endless = [
            asyncio.create_task(session.call_tool("execute_code", {"code": "for (;;) await tools.demo.getBusiness({})"}))
            for _ in range(8)
        ]
        result = await session.call_tool("execute_code", {"code": "return 20 + 22"})
        print(sorted(tool.name for tool in tools), result.content[0].text)
    for request in endless:
        request.cancel()
    await asyncio.gather(*endless, return_exceptions=True)


asyncio.run(main(*sys.argv[1:]))
