"""Starts a server and uses it, with the official client: python client.py COMMAND ARGUMENTS... Prints what it saw as JSON, times in seconds since the start."""

import asyncio
import json
import os
import sys
import time

from mcp import Client, StdioServerParameters


async def main(command, arguments):
    server = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
    started = time.monotonic()
    saw = {}

    def since():
        return time.monotonic() - started

    async with Client(server) as client:
        saw["version"] = client.server_info.version
        saw["connected"] = since()
        saw["tools"] = sorted(tool.name for tool in (await client.list_tools()).tools)
        saw["listed"] = since()

        async def execute(language, code):
            result = await client.call_tool("execute_code", {"code": code, "language": language})
            saw[language] = {"text": result.content[0].text, "isError": bool(result.is_error), "answered": since()}

        await execute("typescript", "return (await tools.demo.listProducts({})).total && 6 * 7")
        await execute("python", "return (await tools.demo.list_products())['total'] and 6 * 7")
    print(json.dumps(saw))


asyncio.run(main(sys.argv[1], sys.argv[2:]))
