"""What scripts name that were written for other surfaces: clients that call tools by their names, and search them."""

from .own import __builtins__

import _ampoule

from .tool import ProxyTool, UnknownName, resolved, tool_of
from .tools import CALLS, SURFACES, View, tools

# The arguments by which surfaces take a server, a tool, and the tool's own arguments.
NAMES = (("server", "server_name", "serverName"), ("tool", "tool_name", "toolName", "name"))
ARGUMENTS = ("arguments", "args", "input", "params")


def call_tool(*names, **named):
    """Starts a call of a tool by one name, or by its server's and its own, with its arguments as a dict. What it gives can also be read as
    a client's answer."""
    names = list(names)
    arguments = dict(names.pop() or {}) if names and not isinstance(names[-1], str) else {}
    if not names:
        names = [named.pop(key) for keys in NAMES for key in keys if key in named]
    for key in ARGUMENTS:
        if isinstance(named.get(key), dict):
            arguments.update(named.pop(key))
    if len(names) not in (1, 2):
        raise TypeError("call_tool takes a tool's name and its arguments as a dict; tools are also called as `await tools.<server>.<tool>(...)`")
    number = resolved(_ampoule.resolve, names[0] if len(names) == 2 else None, str(names[-1]))
    return tool_of(number, ProxyTool)({**arguments, **named})


class Codemode(View):
    """`codemode.list_orders(...)`: the servers, and beside them all tools."""

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        return tools[name]

    def __repr__(self):
        return "<codemode>"


class Client(View):
    """`client.call_tool("list_orders", {...})`, as if it were connected."""

    def __getattr__(self, name):
        if name in CALLS:
            return call_tool
        if name == "search_tools":
            return tools.search
        if name[:2] == "__":
            raise AttributeError(name)
        raise UnknownName(f"a client has no `{name}` here, as there is none to connect: call `await tools.<server>.<tool>(...)`")

    def __repr__(self):
        return "<client>"


def install():
    """Gives the names to scripts, before the snapshot."""
    codemode, client = Codemode(), Client()
    for value, names in (
        (call_tool, "call_tool callTool callMCPTool call_mcp_tool use_mcp_tool"),
        (tools.search, "search_tools searchTools"),
        (tools.describe, "describe_tool describeTool document_tool documentTool"),
        (codemode, "codemode"),
        (client, "client mcp_client mcpClient session mcp_session"),
    ):
        SURFACES.update(dict.fromkeys(names.split(), value))
