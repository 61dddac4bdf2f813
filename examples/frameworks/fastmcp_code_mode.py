"""FastMCP's code mode with Ampoule as its sandbox: the server offers `execute`, and code calls the server's tools."""

import asyncio

from fastmcp import Client, FastMCP
from fastmcp.exceptions import ToolError
from fastmcp.experimental.transforms.code_mode import CodeMode

import pyampoule
from pyampoule.adapters.fastmcp import Sandbox

CODE = """
import asyncio
prices = await asyncio.gather(*(call_tool('price', {'name': name}) for name in ('tea', 'milk')))
return sum(price['euros'] for price in prices)
"""


async def main() -> None:
    with pyampoule.Runtime() as runtime:
        sandbox = Sandbox(runtime, limits=pyampoule.Limits(wall_time=60, fuel=500_000_000))
        server = FastMCP("shop", transforms=[CodeMode(sandbox_provider=sandbox)])

        @server.tool
        def price(name: str) -> dict[str, float]:
            """What a product costs."""
            return {"euros": 1.5 * len(name)}

        async with Client(server) as client:
            told = await client.call_tool("execute", {"code": CODE})
            assert [getattr(block, "text", None) for block in told.content] == ["10.5"]
            try:
                await client.call_tool("execute", {"code": "while True:\n    pass"})
                raise AssertionError("it is stopped")
            except ToolError as error:
                assert "the limit `fuel`" in str(error)


asyncio.run(main())
print("FastMCP: ok")
