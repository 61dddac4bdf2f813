"""Drives `ampoule serve` with a client of PyPI's: python clients.py CLIENT WHERE MODE, where WHERE is the address that it serves at, or the program. Prints what it saw as JSON."""

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager

WAITING = "await new Promise((done) => setTimeout(done, 2500)); return 'waited'"
FORM = "return JSON.stringify(await tools.everything.triggerElicitationRequest({}))"
SAMPLE = "return JSON.stringify(await tools.everything.triggerSamplingRequest({ prompt: 'x', maxTokens: 5 }))"
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


def is_address(where):
    return where.startswith("http:")


def process(where):
    """How the program is started."""
    return {"command": where, "args": ["serve"], "env": dict(os.environ)}


class Person:
    """Who is asked, and accepts or declines."""

    action = "accept"

    def __init__(self):
        self.asked = []

    def answers(self, message):
        if self.action != "accept":
            return {"action": self.action}
        self.asked.append(message)
        return {"action": "accept", "content": {"name": "Ada", "check": True}}


def callbacks(person, types):
    """What the official clients call when something is asked."""

    async def elicit(context, params):
        return types.ElicitResult(**person.answers(params.message))

    async def sample(context, params):
        said = types.TextContent(type="text", text="sampled there")
        return types.CreateMessageResult(role="assistant", model="none", content=said)

    return {"elicitation_callback": elicit, "sampling_callback": sample}


@asynccontextmanager
async def official(where, mode, person):
    import mcp_types
    from mcp import Client, StdioServerParameters

    server = where if is_address(where) else StdioServerParameters(**process(where))
    async with Client(server, mode=mode, **callbacks(person, mcp_types)) as client:

        async def call(code, told):
            result = await client.call_tool("execute_code", {"code": code}, progress_callback=told)
            return bool(result.is_error), result.content[0].text

        yield client.protocol_version, (await client.list_tools()).tools, call, None


@asynccontextmanager
async def official_1(where, mode, person):
    from mcp import ClientSession, StdioServerParameters, types
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    reached = streamable_http_client(where) if is_address(where) else stdio_client(StdioServerParameters(**process(where)))
    async with (
        reached as (reads, writes, *_),
        ClientSession(reads, writes, **callbacks(person, types)) as session,
    ):
        version = (await session.initialize()).protocolVersion

        async def call(code, told):
            result = await session.call_tool("execute_code", {"code": code}, progress_callback=told)
            return result.isError, result.content[0].text

        yield version, (await session.list_tools()).tools, call, session


@asynccontextmanager
async def fastmcp(where, mode, person):
    from fastmcp import Client
    from fastmcp.client.elicitation import ElicitResult
    from fastmcp.client.transports import StdioTransport

    async def elicit(message, response_type, params, context):
        return ElicitResult(**person.answers(message))

    async def sample(messages, params, context):
        return "sampled there"

    # Until 4 it has one mode, and no such argument.
    modes = {} if mode == "only" else {"mode": mode}
    server = where if is_address(where) else StdioTransport(**process(where))
    async with Client(server, elicitation_handler=elicit, sampling_handler=sample, **modes) as client:

        async def call(code, told):
            arguments = {"code": code}
            result = await client.call_tool("execute_code", arguments, raise_on_error=False, progress_handler=told)
            return result.is_error, result.content[0].text

        version = getattr(client, "protocol_version", None) or client.initialize_result.protocolVersion
        yield version, await client.list_tools(), call, client.session if mode == "only" else None


async def cancelled(text, first):
    """Whether a run goes on after its request was cancelled. It opens tickets for as long as it lives."""
    before = int(await text(TICKETS))
    endless = asyncio.create_task(text(OPENING))
    while int(await text(TICKETS)) < before + 3:
        pass
    if first:
        await tell_it_is_cancelled(first)
    endless.cancel()
    await asyncio.gather(endless, return_exceptions=True)
    return await text(SETTLED)


async def tell_it_is_cancelled(session):
    """The official client 1.x tells nobody of a request that it gives up: the program has to."""
    from mcp import types

    [number] = session._response_streams
    params = types.CancelledNotificationParams(requestId=number)
    await session.send_notification(types.ClientNotification(types.CancelledNotification(params=params)))


async def main(kind, where, mode):
    person, progress = Person(), []

    async def told(amount, total, message):
        progress.append(amount)

    async with {"official": official, "official-1": official_1, "fastmcp": fastmcp}[kind](where, mode, person) as connected:
        version, tools, call, first = connected

        async def text(code, told=None):
            return (await call(code, told))[1]

        saw = {"version": str(version), "tools": [tool.name for tool in tools]}
        saw["returns"] = await text("return (await tools.demo.listProducts({})).total > 0")
        is_error, threw = await call("throw new TypeError('not today')", None)
        saw["throws"] = {"isError": is_error, "text": threw}
        saw["waited"] = await text(WAITING, told)
        saw["progress"] = progress
        saw["settled"] = await cancelled(text, first)
        saw["many"] = await asyncio.gather(*[text(f"return {number}") for number in range(50)])
        saw["form"], saw["sampled"] = await text(FORM), await text(SAMPLE)
        person.action = "decline"
        saw["declined"] = await text(FORM)
        saw["asked"] = person.asked
    print(json.dumps(saw))


asyncio.run(main(*sys.argv[1:]))
