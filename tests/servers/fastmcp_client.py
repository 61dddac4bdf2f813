"""Drives `ampoule serve` with FastMCP's client: python fastmcp_client.py AMPOULE. Prints what it saw as JSON."""

import asyncio
import json
import os
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

WAITING = "await new Promise((done) => setTimeout(done, 2500)); return 'waited'"


def text(result):
    return result.content[0].text


async def main(ampoule):
    saw, progress = {}, []

    async def told(progress_, total, message):
        progress.append(progress_)

    async with Client(StdioTransport(ampoule, ["serve"], env=dict(os.environ))) as client:

        async def execute(code, **options):
            return await client.call_tool("execute_code", {"code": code}, raise_on_error=False, **options)

        saw["tools"] = [tool.name for tool in await client.list_tools()]
        saw["returns"] = text(await execute("return (await tools.demo.listProducts({})).total > 0"))
        threw = await execute("throw new TypeError('not today')")
        saw["throws"] = {"isError": threw.is_error, "text": text(threw)}
        saw["waited"] = text(await execute(WAITING, progress_handler=told))
        saw["progress"] = progress
        many = await asyncio.gather(*[execute(f"return {number}") for number in range(50)])
        saw["many"] = [text(result) for result in many]
    print(json.dumps(saw))


asyncio.run(main(*sys.argv[1:]))
