"""Drives `ampoule serve` with the official client: python client.py AMPOULE MODE. Prints what it saw as JSON."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters

TICKETS = "return (await tools.demo.listTickets({ limit: 1 })).total"
OPENING = """
for (;;) {
  await tools.demo.createTicket({ customerId: "CUS-0001", subject: "again", text: "and again" });
  await new Promise((done) => setTimeout(done, 5));
}
"""
# Ends when three counts in a row, each 100 ms after the last, are the same.
SETTLED = """
let same = 0, last = -1;
for (let round = 0; round < 50 && same < 3; round++) {
  const { total } = await tools.demo.listTickets({ limit: 1 });
  same = total === last ? same + 1 : 0;
  last = total;
  await new Promise((done) => setTimeout(done, 100));
}
return same === 3;
"""


def seen(result):
    """What a tool answered. What it says besides, such as the language that the code looked like, is a text of its own."""
    text, *besides = [block.text for block in result.content]
    return {"isError": bool(result.is_error), "text": text, "besides": besides}


async def execute(client, code, **arguments):
    return seen(await client.call_tool("execute_code", {"code": code, **arguments}))


async def tickets(client):
    return int((await execute(client, TICKETS))["text"])


async def cancelled(client):
    """Whether a run goes on after its request was cancelled. It opens tickets for as long as it lives."""
    before = await tickets(client)
    endless = asyncio.create_task(execute(client, OPENING))
    while await tickets(client) < before + 3:
        pass
    endless.cancel()
    await asyncio.gather(endless, return_exceptions=True)
    return await execute(client, SETTLED)


async def main(ampoule, mode):
    server = StdioServerParameters(command=ampoule, args=["serve"], env=dict(os.environ))
    saw = {}
    async with Client(server, mode=mode) as client:
        saw["version"] = client.protocol_version
        saw["server"] = client.server_info.name
        saw["instructions"] = client.instructions
        tools = (await client.list_tools()).tools
        saw["tools"] = {tool.name: tool.description for tool in tools}
        saw["returns"] = await execute(
            client, "console.log('printed'); const n: number = (await tools.demo.listProducts({})).total; return { n }"
        )
        saw["throws"] = await execute(client, "const a = 1;\nthrow new TypeError('not today')")
        saw["limit"] = await execute(client, "console.log('before'); for (;;);", timeout_seconds=0.3)
        saw["above"] = await execute(client, "return 1", timeout_seconds=1e6)
        saw["found"] = seen(await client.call_tool("search_tools", {"query": "open a ticket", "limit": 2}))
        saw["stub"] = seen(await client.call_tool("search_tools", {"query": "open a ticket", "limit": 1, "language": "python"}))
        saw["python"] = await execute(client, "orders = await tools.demo.list_orders(limit=3)\nprint('printed')\nlen(orders['items'])")
        saw["raises"] = await execute(client, "a = 1\nraise ValueError('not today')", language="python")
        saw["listed"] = seen(await client.call_tool("search_tools", {}))

        progress = []

        async def told(progress_, total, message):
            progress.append({"progress": progress_, "message": message})

        waiting = "await new Promise((done) => setTimeout(done, 2500)); return 'waited'"
        result = await client.call_tool("execute_code", {"code": waiting}, progress_callback=told)
        saw["waited"] = seen(result)
        saw["progress"] = progress
        saw["cancelled"] = await cancelled(client)
    print(json.dumps(saw))


asyncio.run(main(*sys.argv[1:]))
