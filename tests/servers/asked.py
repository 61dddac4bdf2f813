"""Drives `ampoule serve` with the official client, which answers what the server behind it asks: python asked.py AMPOULE. Prints what it saw as JSON."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp_types import CreateMessageResult, ElicitResult, TextContent

FORM = "return JSON.stringify(await tools.everything.triggerElicitationRequest({}))"
SAMPLE = "return JSON.stringify(await tools.everything.triggerSamplingRequest({ prompt: 'x', maxTokens: 5 }))"
LONG = "return await tools.everything.triggerLongRunningOperation({ duration: 4, steps: 8 })"


async def execute(client, code, **options):
    result = await client.call_tool("execute_code", {"code": code}, **options)
    return result.content[0].text


async def main(ampoule):
    server = StdioServerParameters(command=ampoule, args=["serve"], env=dict(os.environ), cwd=os.getcwd())
    saw = {"asked": [], "progress": []}
    action = "accept"

    async def elicit(context, params):
        if action == "accept":
            saw["asked"].append(params.message)
            return ElicitResult(action="accept", content={"name": "Ada", "check": True})
        return ElicitResult(action=action)

    async def sample(context, params):
        return CreateMessageResult(role="assistant", model="none", content=TextContent(type="text", text="sampled there"))

    async def told(progress, total, message):
        saw["progress"].append(message)

    answers = {"elicitation_callback": elicit, "sampling_callback": sample}
    async with Client(server, mode="legacy", **answers) as client:
        saw["form"] = await execute(client, FORM)
        saw["sampled"] = await execute(client, SAMPLE)
        action = "decline"
        saw["declined"] = await execute(client, FORM)
        await execute(client, LONG, progress_callback=told)
    action = "accept"
    async with Client(server, mode="auto", **answers) as client:
        saw["version"] = client.protocol_version
        saw["modern"] = await execute(client, FORM)
    print(json.dumps(saw))


asyncio.run(main(*sys.argv[1:]))
