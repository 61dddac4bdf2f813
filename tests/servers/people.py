"""Drives `ampoule serve` with the official client, whose person is asked about calls: python people.py AMPOULE|ADDRESS. Prints what was seen as JSON."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp_types import ElicitResult

CLOSE = "return (await tools.demo.closeTicket({ ticketId: %r, resolution: 'done' })).status"
BOTH = "return (await Promise.all(['TIC-0005', 'TIC-0006'].map((ticketId) => tools.demo.closeTicket({ ticketId, resolution: 'done' })))).length"


async def main(where):
    server = where if where.startswith("http") else StdioServerParameters(command=where, args=["serve"], env=dict(os.environ), cwd=os.getcwd())
    saw = []
    for mode in ["legacy", "auto"]:
        asked, said = [], []
        answer = {}

        async def elicit(context, params):
            asked.append([params.message, params.requested_schema["properties"]["answer"]["enum"]])
            return ElicitResult(**answer)

        async with Client(server, mode=mode, elicitation_callback=elicit) as client:
            for content, code in [
                ({"answer": "allow-once"}, CLOSE % "TIC-0002"),
                ({"answer": "deny", "reason": "she called again"}, CLOSE % "TIC-0003"),
                (None, CLOSE % "TIC-0004"),
                ({"answer": "allow-once"}, BOTH),
            ]:
                answer.clear()
                answer.update({"action": "accept", "content": content} if content else {"action": "decline"})
                result = await client.call_tool("execute_code", {"code": code})
                said.append(result.content[0].text)
            saw.append({"version": client.protocol_version, "asked": asked, "said": said})
    print(json.dumps(saw))


asyncio.run(main(*sys.argv[1:]))
