"""Names of servers and tools, as scripts write them."""

from .own import __builtins__

import _ampoule


def fold(name):
    """A name without case and punctuation."""
    return "".join(filter(str.isalnum, name)).lower()


def written(server, tool):
    """A tool as scripts write it."""
    of = server_written(server)
    identifiers = (identifier for _, name, identifier, _ in _ampoule.tools_of(server) if name == tool)
    return f"tools{of}.{next(identifiers, tool)}"


def server_written(server):
    """A server as scripts write it, behind `tools`."""
    name, at, account = server.rpartition("@")
    if at and name and account:
        return f"{server_written(name)}.as_({account!r})"
    return f".{server}" if server.isidentifier() else f"[{server!r}]"


def server_unknown(name, unknown):
    """What the host says of a name that no server has, and how that is written which was likely meant; with the names that are near."""
    message, near = unknown.args
    odd = [server for server in near if not server.isidentifier() and fold(server).startswith(fold(name))]
    if odd:
        identifier = "".join(letter if letter.isalnum() else "_" for letter in odd[0])
        message += f". `{odd[0]}` is written tools[{odd[0]!r}] or tools.{identifier}"
    return message, near
