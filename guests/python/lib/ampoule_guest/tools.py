"""The granted tools as objects. Nothing of the catalog is here until a script names it: each name is asked of the host, once."""

from .own import __builtins__

from functools import partial

import _ampoule

from .names import server_unknown, written
from .tool import ProxyTool, Tool, UnknownName, declaration, resolved, tool_of
from .values import Object

# What other surfaces have, by its names: `surfaces` fills it. Servers of these names come first.
SURFACES = {}

# What is called of a server, or of all, to call a tool by its name.
CALLS = frozenset({"call_tool", "callTool", "call", "invoke"})

# How many tools a search gives if the script does not say.
SEARCH_LIMIT = 10


class View:
    """What shows a part of the grant, which does not change."""

    def __setattr__(self, name, value):
        raise AttributeError(f"{self!r} shows what this run was granted; nothing can be set in it")

    def __delattr__(self, name):
        raise AttributeError(f"{self!r} shows what this run was granted; nothing can be removed from it")


class Server(View):
    """A server: its tools are its attributes, and its items for names that are no identifiers."""

    # What its tools are.
    _kind = Tool

    def __init__(self, name):
        self.__dict__["_name"] = name
        # As a package, `servers.github` has modules: for `from servers.github import create_issue`.
        self.__dict__.update(__name__=f"servers.{name}", __path__=[], __spec__=None)

    def __getattr__(self, name):
        if name == "__all__":
            return [identifier for _, _, identifier, _ in _ampoule.tools_of(self._name)]
        if name[:2] == "__" or name[:1] == "_" and name[:6] in ("_repr_", "_ipyth"):
            raise AttributeError(name)
        if name == "as_":
            made = self.__dict__[name] = Accounts(self)
            return made
        try:
            number = _ampoule.resolve(self._name, name)
        except _ampoule.UnknownName as unknown:
            if name in CALLS:
                return partial(SURFACES["call_tool"], self._name)
            raise UnknownName(*unknown.args) from None
        # What was asked for once is an attribute like others.
        tool = self.__dict__[name] = tool_of(number, self._kind)
        return tool

    def __getitem__(self, name):
        return tool_of(resolved(_ampoule.resolve, self._name, str(name)), self._kind)

    def __contains__(self, name):
        try:
            _ampoule.resolve(self._name, str(name))
        except _ampoule.UnknownName:
            return False
        return True

    def __iter__(self):
        """The names of the tools."""
        return iter([name for _, name, _, _ in _ampoule.tools_of(self._name)])

    def __len__(self):
        return len(_ampoule.tools_of(self._name))

    def __bool__(self):
        return True

    def __dir__(self):
        return self.__all__

    def __call__(self, *args, **named):
        raise TypeError(f"{self._name} is a server; call one of its tools, as in `await {self._name}.{self._example()}(...)`")

    def _example(self):
        tools = _ampoule.tools_of(self._name)
        return tools[0][2] if tools else "tool"

    @property
    def list_tools(self):
        """What the bridges' proxies have beside their tools. A tool of that name comes first."""
        if "list_tools" in self:
            return self["list_tools"]
        name = self._name
        return lambda: Summaries(map(summary, _ampoule.tools_of(name)))

    def __repr__(self):
        return f"<server {self._name}>"


class Accounts(View):
    """`as_`, which takes the name of an account. A tool that is called `as` takes its arguments by the same function."""

    def __init__(self, server):
        self.__dict__["_server"] = server

    def __call__(self, *args, **named):
        server = self._server
        if len(args) == 1 and not named and isinstance(args[0], str):
            name, at, _ = server._name.rpartition("@")
            name = name if at and name else server._name
            return server_of(resolved(_ampoule.server_name, f"{name}@{args[0]}"), type(server))
        if "as" in server:
            return server["as"](*args, **named)
        raise TypeError("as_ takes the name of an account: as_('work')")

    def __repr__(self):
        return f"<accounts of {self._server._name}>"


class Proxy(Server):
    """A server as the bridges have it: `mcp_github`."""

    _kind = ProxyTool


known_servers = {}


def server_of(name, kind=Server):
    """The object of a server, by its configured name."""
    server = known_servers.get((kind, name))
    if server is None:
        server = known_servers[kind, name] = kind(name)
    return server


def proxies():
    """The bridges' `mcp_servers`."""
    return {name: server_of(name, Proxy) for name in tools}


class Summaries(list):
    """A list that can also be awaited."""

    def __await__(self):
        return self
        yield


class Declaration(str):
    """A text that can also be awaited."""

    __slots__ = ()

    def __await__(self):
        return self
        yield


def summary(tool):
    """A tool in short."""
    server, name, identifier, description = tool
    return Object(server=server, name=name, identifier=identifier, alias=identifier, description=description)


class Asking:
    """A function of `tools`. Where a server has its name, the server's tools are its attributes."""

    def __init__(self, function):
        self.__dict__.update(_function=function, __doc__=function.__doc__, __name__=function.__name__)

    def __call__(self, *args, **options):
        return self._function(*args, **options)

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        try:
            server = _ampoule.server_name(self.__name__)
        except _ampoule.UnknownName:
            raise AttributeError(f"tools.{self.__name__} is a function and has no attribute `{name}`; call it: tools.{self.__name__}(...)") from None
        return getattr(server_of(server), name)

    def __repr__(self):
        return f"<function tools.{self.__name__}>"


def servers():
    """The servers with granted tools."""
    return Summaries(Object(name=name, description=description, tools=count) for name, description, count in _ampoule.servers())


def search(query="", limit=SEARCH_LIMIT, server=None):
    """The granted tools that match a query best."""
    if not isinstance(query, str):
        raise TypeError("tools.search takes a query, and after it limit= and server=")
    if isinstance(limit, (str, Server)) and server is None:
        limit, server = SEARCH_LIMIT, limit
    if limit is None:
        limit = SEARCH_LIMIT
    if isinstance(limit, bool) or not isinstance(limit, (int, float)) or not limit >= 1:
        raise TypeError("The limit of tools.search must be a number of at least 1")
    if isinstance(server, Server):
        server = server._name
    elif server is not None:
        server = resolved(_ampoule.server_name, str(server))
    return Summaries(map(summary, _ampoule.search(query, min(int(limit), 0xFFFFFFFF), server)))


def describe(of):
    """The declaration of a tool, or of all tools of a server, with documentation."""
    return Declaration(_described(of))


def _described(of):
    if isinstance(of, Tool):
        return declaration(of.number)
    if isinstance(of, Server):
        return _declarations(of._name)
    if isinstance(of, dict) and isinstance(of.get("name"), str):
        # What a search finds.
        return declaration(resolved(_ampoule.resolve, of.get("server"), of["name"]))
    if not isinstance(of, str):
        raise TypeError("tools.describe takes a tool or a server, or the name of one")
    try:
        return declaration(_ampoule.resolve(None, of))
    except _ampoule.UnknownName as unknown:
        try:
            return _declarations(_ampoule.server_name(of))
        except _ampoule.UnknownName:
            raise UnknownName(*unknown.args) from None


def _declarations(server):
    return "\n\n".join(declaration(_ampoule.resolve(server, name)) for _, name, _, _ in _ampoule.tools_of(server))


def show_help(of):
    """`help`: also of tools and servers."""
    if isinstance(of, (Tool, Server)):
        print(describe(of).rstrip("\n"))
    else:
        import pydoc

        print(pydoc.plain(pydoc.render_doc(of)))


class Tools(View):
    """All granted tools: `tools.github.create_issue(...)`, `tools["my server"]["its tool"]`."""

    # As a package, for `from tools.github import create_issue`.
    __name__ = "tools"
    __path__ = ()
    __spec__ = None

    search = Asking(search)
    describe = Asking(describe)
    servers = Asking(servers)

    def __getattr__(self, name):
        if name[:2] == "__" or name[:1] == "_" and name[:6] in ("_repr_", "_ipyth"):
            raise AttributeError(name)
        try:
            server = server_of(_ampoule.server_name(name))
        except _ampoule.UnknownName as unknown:
            if name in CALLS:
                return SURFACES["call_tool"]
            if name in SURFACES:
                return SURFACES[name]
            raise UnknownName(*self._meant(name, unknown)) from None
        self.__dict__[name] = server
        return server

    def _meant(self, name, unknown):
        """What is said of a name that no server has: it may be a tool's."""
        try:
            server, tool = _ampoule.name_of(_ampoule.resolve(None, name))
        except _ampoule.UnknownName:
            return server_unknown(name, unknown)
        return f"`{tool}` is a tool of the server `{server}`: write `await {written(server, tool)}(...)`", [server]

    def __getitem__(self, name):
        """A server; or a tool, by a name that says it all."""
        name = str(name)
        try:
            return server_of(_ampoule.server_name(name))
        except _ampoule.UnknownName as unknown:
            try:
                return tool_of(_ampoule.resolve(None, name))
            except _ampoule.UnknownName:
                raise UnknownName(*unknown.args) from None

    def __contains__(self, name):
        try:
            _ampoule.server_name(str(name))
        except _ampoule.UnknownName:
            return False
        return True

    def __iter__(self):
        """The names of the servers."""
        return iter([name for name, _, _ in _ampoule.servers()])

    def __len__(self):
        return len(_ampoule.servers())

    def __bool__(self):
        return True

    def __dir__(self):
        return ["search", "describe", "servers", *self]

    def __repr__(self):
        return "<tools>"


tools = Tools()
