"""An MCP server whose tool begins what takes a while, so that a client has to ask again and again: python3 exports.py. An export is
done once somebody has asked twenty times: then tests need no clock."""

from mcp.server.fastmcp import FastMCP
from pydantic import BaseModel

ASKED_UNTIL_DONE = 20
ROWS = 48_000

server = FastMCP("exports")
asked: dict[str, int] = {}


class Export(BaseModel):
    id: str
    table: str
    state: str
    rows_done: int
    rows_in_all: int
    log: list[str]
    checksum: str | None = None


def export(id: str) -> Export:
    steps = asked[id]
    done = steps >= ASKED_UNTIL_DONE
    rows = ROWS * min(steps, ASKED_UNTIL_DONE) // ASKED_UNTIL_DONE
    log = [f"part {part:02} of {ASKED_UNTIL_DONE}: {ROWS // ASKED_UNTIL_DONE} rows written" for part in range(max(0, steps - 3), min(steps, ASKED_UNTIL_DONE))]
    return Export(
        id=id, table="invoices", state="done" if done else "running", rows_done=rows, rows_in_all=ROWS, log=log,
        checksum="5d41402abc4b2a76" if done else None,
    )


@server.tool()
def start_export(table: str) -> Export:
    """Starts to export a table. Returns at once; `get_export` says how far it is."""
    id = f"export-{len(asked) + 1}"
    asked[id] = 0
    return export(id)


@server.tool()
def get_export(id: str) -> Export:
    """Says how far an export is: `running` or `done`, its last lines of log, and, once it is done, its checksum."""
    asked[id] += 1
    return export(id)


server.run()
