"""What scripts import: the program's own modules, and the granted servers as packages."""

from .own import __builtins__

import _strptime
import builtins
import os
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType

import _ampoule

from . import files, places, scope, source
from .files import clean
from .missing import own_names
from .tool import UnknownName, resolved
from .tools import Proxy, Server, server_of, tools
from .values import Object


class Sources:
    """Finds and loads the program's own modules."""

    def __init__(self):
        # The names of files, by those of modules; and packages that have no file.
        self.files = {}
        self.packages = set()

    def add(self, name):
        """Notes a file; `pkg/mod.py` is the module `pkg.mod`."""
        parts = clean(name).removesuffix(".py").split("/")
        if len(parts) > 1 and parts[-1] == "__init__":
            parts.pop()
        self.files[".".join(parts)] = name
        own_names.add(".".join(parts))
        for end in range(1, len(parts)):
            self.packages.add(".".join(parts[:end]))

    def find_spec(self, name, path=None, target=None):
        file = self.files.get(name)
        is_package = name in self.packages or file is not None and clean(file).endswith("__init__.py")
        if file is None and not is_package:
            return None
        spec = ModuleSpec(name, self, origin=file, is_package=is_package)
        spec.has_location = file is not None
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        file = self.files.get(module.__name__)
        if file is None:
            return
        code = source.module_code(places.sources[file], file)
        module.__builtins__ = builtins
        scope.define([code], module.__dict__)
        exec(code, module.__dict__)

    def get_source(self, name):
        """The source of a module, for tracebacks that the script prints."""
        if name == "__main__":
            return places.sources.get(sys.modules["__main__"].__dict__.get("__file__"))
        return places.sources.get(self.files.get(name))


sources = Sources()


def give(given):
    """Takes what a program brings with it: modules to import, and files to open."""
    same = set()
    for name, kind, content in given:
        if kind == "source":
            if places.sources.get(name) == content:
                same.add(name)
            places.sources[name] = content
            sources.add(name)
        files.add(clean(name), content)
    if sources.files:
        # Before Python's own, as a script's folder is elsewhere.
        if sources not in sys.meta_path:
            sys.meta_path.insert(0, sources)
        for name, file in sources.files.items():
            # What an earlier run of a session has imported stays, unless it is another now.
            if file not in same:
                sys.modules.pop(name, None)


def set_env(env):
    """Defines `env`, and what of it is text in `os.environ`."""
    builtins.env = env
    for name, value in env.items():
        if isinstance(value, str) and name and "=" not in name and "\0" not in name + value:
            os.environ[name] = value


def set_strings(strings):
    """Defines the texts that came with the program. In a session, the next one does not have them."""
    global has_strings
    if strings is not None:
        builtins.strings = strings
    elif has_strings:
        vars(builtins).pop("strings", None)
    has_strings = strings is not None


has_strings = False


class Servers(ModuleType):
    """The package of all servers: `from servers import github`."""

    # What its servers are.
    kind = Server

    def __getattr__(self, name):
        if name[:2] == "__" and name != "__all__":
            raise AttributeError(name)
        if name == "__all__":
            return [server for server in tools if server.isidentifier()]
        return server_of(resolved(_ampoule.server_name, name), self.kind)

    def __dir__(self):
        return [*ModuleType.__dir__(self), *tools]


class ServerFinder:
    """Finds servers and their tools in the packages `servers` and `tools`, and in `mcp.servers`."""

    def find_spec(self, name, path=None, target=None):
        is_server = name.startswith(("servers.", "tools.", "mcp.servers."))
        return ModuleSpec(name, self, is_package=True) if is_server else None

    def create_module(self, spec):
        kind = Proxy if spec.name.startswith("mcp.") else Server
        parts = spec.name.removeprefix("mcp.").split(".")[1:]
        try:
            server = server_of(_ampoule.server_name(parts[0]), kind)
            return server if len(parts) == 1 else server[parts[1]]
        except (_ampoule.UnknownName, UnknownName) as unknown:
            raise ModuleNotFoundError(unknown.args[0], name=parts[-1]) from None

    def exec_module(self, module):
        pass


class Proxies(Servers):
    """The package `mcp.servers`."""

    kind = Proxy


def package(kind, name):
    """A package of servers."""
    made = kind(name, "The granted servers.")
    made.__path__ = []
    return made


def install():
    """Puts the servers' packages in place, before the snapshot."""
    sys.meta_path.append(ServerFinder())
    sys.modules["servers"] = package(Servers, "servers")
    sys.modules["tools"] = tools
    set_env(Object())
    # It tells its callers' code from its own by this; frozen modules have none.
    _strptime.__file__ = "/_strptime.py"
