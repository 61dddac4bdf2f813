"""The helpers that scripts have in container bridges."""
from collections.abc import Mapping
from typing import Any, Literal, overload

from tools import Call, Object, ToolError as MCPError

__all__ = [
    "MCPError",
    "call_tool",
    "capability_summary",
    "describe_server",
    "discovered_servers",
    "list_loaded_server_metadata",
    "list_servers",
    "list_servers_sync",
    "list_tools",
    "list_tools_sync",
    "query_tool_docs",
    "query_tool_docs_sync",
    "search_tool_docs",
    "search_tool_docs_sync",
]

@overload
def discovered_servers(detailed: Literal[False] = ...) -> tuple[str, ...]:
    """The names of the servers; with `detailed`, what each says of itself."""
@overload
def discovered_servers(detailed: Literal[True]) -> tuple[Object, ...]: ...
def list_servers_sync() -> tuple[str, ...]:
    """The names of the servers."""
async def list_servers() -> tuple[str, ...]:
    """The names of the servers."""
def list_tools_sync(server: str) -> tuple[Object, ...]:
    """The tools of a server."""
async def list_tools(server: str) -> list[Object]:
    """The tools of a server."""
def describe_server(name: str) -> Object:
    """A server and its tools."""
def list_loaded_server_metadata() -> tuple[Object, ...]:
    """All servers and their tools."""
def query_tool_docs_sync(server: str, tool: str | None = ..., detail: str = ...) -> list[Object]:
    """What there is to know of a server's tools, or of one of them."""
@overload
async def query_tool_docs(server: str, tool: None = ..., detail: str = ...) -> list[Object]:
    """What there is to know of a server's tools: a list; or of one of them."""
@overload
async def query_tool_docs(server: str, tool: str, detail: str = ...) -> Object: ...
def search_tool_docs_sync(query: str, *, limit: int | None = ..., detail: str = ...) -> list[Object]:
    """The tools that match a query best."""
async def search_tool_docs(query: str, *, limit: int | None = ..., detail: str = ...) -> list[Object]:
    """The tools that match a query best."""
def capability_summary() -> str:
    """What scripts can do here."""
def call_tool(server: str, tool: str, arguments: Mapping[str, Any] | None = ...) -> Call[Any]:
    """Starts a call of a tool."""
