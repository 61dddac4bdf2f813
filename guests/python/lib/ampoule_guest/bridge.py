"""`from mcp import runtime`: the helpers that scripts have in container bridges, with the same names and shapes.

The tools' schemas are not here; where the bridges give them, there are the names of the arguments, and the tool's declaration."""

from .own import __builtins__

import sys
from types import ModuleType

import _ampoule

from .calls import ToolError
from .missing import TOOLS
from .modules import Proxies, package
from .tool import ProxyTool, UnknownName, declaration, tool_of
from .tools import SURFACES, Proxy, server_of
from .values import Object

# How many tools a search gives if nobody says, and at most.
SEARCH_LIMIT, MOST = 5, 20

SUMMARY = (
    "Python scripts with the granted MCP servers. runtime.discovered_servers() lists them, and "
    "runtime.search_tool_docs_sync('words') finds tools. Call a tool with `await mcp_<server>.<tool>(name=value)`, "
    "or `await runtime.call_tool(server, tool, {...})`. Values are dicts whose keys are also attributes. "
    "The result is the value of the last expression, `result`, or what is returned."
)


class UnknownTool(UnknownName, ToolError):
    """No such server or tool, as an error that the bridges' scripts catch."""

    server = tool = None

    def __init__(self, message="", near=()):
        UnknownName.__init__(self, message, near)
        self.message = message
        self.kind = "not-reached"
        self.content = []


def resolved(function, *args):
    """What the host says of a name, or its error as the script's."""
    try:
        return function(*args)
    except _ampoule.UnknownName as unknown:
        raise UnknownTool(*unknown.args) from None


def discovered_servers(detailed=False):
    """The names of the servers; with `detailed`, what each says of itself."""
    if detailed:
        return tuple(Object(name=name, description=description or "") for name, description, _ in _ampoule.servers())
    return tuple(name for name, _, _ in _ampoule.servers())


def list_servers_sync():
    """The names of the servers."""
    return discovered_servers()


async def list_servers():
    """The names of the servers."""
    return discovered_servers()


def list_tools_sync(server=None):
    """The tools of a server."""
    if server is None:
        raise TypeError("list_tools_sync(server) requires a server's name")
    return tuple(map(_tool, resolved(_ampoule.tools_of, str(server))))


async def list_tools(server=None):
    """The tools of a server."""
    return list(list_tools_sync(server))


def describe_server(name):
    """A server and its tools."""
    server = resolved(_ampoule.server_name, str(name))
    return Object(name=server, alias=_identifier(server), tools=list(list_tools_sync(server)), cwd=None)


def list_loaded_server_metadata():
    """All servers and their tools."""
    return tuple(map(describe_server, discovered_servers()))


def query_tool_docs_sync(server, tool=None, detail="summary"):
    """What there is to know of a server's tools, or of one of them."""
    if tool is None:
        return [_doc(found, detail) for found in resolved(_ampoule.tools_of, str(server))]
    if not isinstance(tool, str):
        raise TypeError("'tool' must be a string when provided")
    wanted = _ampoule.name_of(resolved(_ampoule.resolve, str(server), tool))
    return [_doc(found, detail) for found in _ampoule.tools_of(wanted[0]) if found[1] == wanted[1]]


async def query_tool_docs(server, tool=None, detail="summary"):
    """What there is to know of a server's tools: a list; or of one of them."""
    docs = query_tool_docs_sync(server, tool, detail)
    return docs if tool is None else docs[0]


def search_tool_docs_sync(query, *, limit=SEARCH_LIMIT, detail="summary"):
    """The tools that match a query best."""
    limit = SEARCH_LIMIT if limit is None else max(1, min(MOST, int(limit)))
    return [_doc(found, detail) for found in _ampoule.search(str(query), limit, None)]


async def search_tool_docs(query, *, limit=SEARCH_LIMIT, detail="summary"):
    """The tools that match a query best."""
    return search_tool_docs_sync(query, limit=limit, detail=detail)


def capability_summary():
    """What scripts can do here."""
    return SUMMARY


def call_tool(server, tool, arguments=None):
    """Starts a call of a tool."""
    return tool_of(resolved(_ampoule.resolve, str(server), str(tool)), ProxyTool)(dict(arguments or {}))


def save_tool(function):
    raise NotImplementedError("save_tool: nothing is kept between runs; put the function into the script that needs it")


def _identifier(name):
    """A server's name as the bridges write it in `mcp_<name>`."""
    made = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in name.lower())
    return "_" + made if made[:1].isdigit() else made or "server"


def _tool(found):
    server, name, identifier, description = found
    return Object(name=name, alias=identifier, description=description, input_schema=_schema(server, name))


def _schema(server, name):
    """What is known here of a tool's schema."""
    parameters = _ampoule.parameters(_ampoule.resolve(server, name))
    return Object(type="object", properties=Object((parameter, Object()) for parameter in parameters))


def _doc(found, detail):
    server, name, identifier, description = found
    doc = Object(server=server, serverAlias=_identifier(server), tool=name, toolAlias=identifier)
    if description:
        doc["description"] = description
    if str(detail).lower() == "full":
        doc["inputSchema"] = _schema(server, name)
        doc["declaration"] = declaration(_ampoule.resolve(server, name))
    return doc


FUNCTIONS = (
    discovered_servers, list_servers, list_servers_sync, list_tools, list_tools_sync, describe_server, list_loaded_server_metadata,
    query_tool_docs, query_tool_docs_sync, search_tool_docs, search_tool_docs_sync, capability_summary, call_tool, save_tool,
)


class Package(ModuleType):
    """The package `mcp`. That of the protocol's own library is not here."""

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        if name in SURFACES:
            return SURFACES[name]
        try:
            return server_of(_ampoule.server_name(name), Proxy)
        except _ampoule.UnknownName:
            pass
        raise AttributeError(f"`mcp` has no `{name}` here. {TOOLS}", name=name, obj=self)


def install():
    """Puts the modules in place, before the snapshot."""
    runtime = ModuleType("mcp.runtime", "Servers and tools, as container bridges have them.")
    for function in FUNCTIONS:
        setattr(runtime, function.__name__, function)
    runtime.MCPError = ToolError
    runtime.__all__ = ["MCPError", *(function.__name__ for function in FUNCTIONS)]
    mcp = Package("mcp", "The granted MCP servers.")
    mcp.__path__ = []
    mcp.__all__ = ["runtime", "servers"]
    mcp.runtime = sys.modules["mcp.runtime"] = runtime
    mcp.servers = sys.modules["mcp.servers"] = package(Proxies, "mcp.servers")
    sys.modules["mcp"] = mcp
