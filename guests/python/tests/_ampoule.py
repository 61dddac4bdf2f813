"""A host for tests: the native module that the guest has inside an isolate. Time is the calls' own: it goes on when something waits."""

import builtins

__builtins__ = dict(builtins.__dict__)

import json
from _io import FileIO
from json import dumps, loads


class UnknownName(Exception):
    pass


class Unlisted(Exception):
    pass


class Tool:
    def __init__(self, server, name, parameters=(), answer="echo", after=0, description=""):
        self.server, self.name, self.parameters = server, name, list(parameters)
        self.answer, self.after, self.description = answer, after, description

    @property
    def identifier(self):
        return name_in_python(self.name)

    def end(self, arguments):
        if self.answer == "echo":
            return None, arguments
        if self.answer == "fail":
            return False, "failed", "no such page", '[{"type":"text","text":"no such page"}]', None
        if self.answer == "data":
            given = loads(arguments)
            blocks = dumps([{"type": "text", "text": given.get("message", "compile failed")}])
            return False, "failed", given.get("message", "compile failed"), blocks, given.get("text", arguments)
        return None, self.answer


def name_in_python(name):
    made = "".join("_" + c.lower() if c.isupper() and at else c.lower() if c.isalnum() else "_" for at, c in enumerate(name))
    return made


def folded(name):
    return "".join(filter(str.isalnum, name)).lower()


SERVERS = {
    "google-drive": "Documents",
    "github": "GitHub",
    "odd": None,
    "fetch": None,
    "search": "Web search",
}
ROWS = json.dumps([{"id": at, "name": f"row {at}", "price": at / 4, "tags": ["a", "b"], "items": None} for at in range(100)])
TOOLS = [
    Tool("google-drive", "get_document", ["documentId", "fields"], description="Gets a document"),
    Tool("google-drive", "slow-search", ["query"], '"found"', 5_000_000),
    Tool("google-drive", "fail", [], "fail"),
    Tool("google-drive", "fail_later", [], "fail", 1_000_000),
    Tool("google-drive", "build", [], "data"),
    Tool("google-drive", "never", [], "echo", 2**62),
    Tool("github", "create_issue", ["repo", "title", "from", "pageSize"], description="Opens an issue"),
    Tool("github", "get_issue", ["number"], '{"title":"Bug","user":{"login":"ada"},"labels":[{"name":"x"}],"items":[1,2]}'),
    Tool("github", "wait", ["seconds"], '"waited"', 1_000_000_000),
    Tool("github", "rows", [], ROWS),
    Tool("odd", "class", [], '"class"'),
    Tool("odd", "two words", ["a"], '"two words"'),
    Tool("odd", "broken", [], "{"),
    Tool("fetch", "fetch", ["url"]),
    Tool("search", "web", ["query"], "[1]"),
]

output = []
log = []
clock = 0
pending = {}
count = 0


def write(level, text):
    text.encode()
    output.append((level, text))


def progress(fraction, text):
    text.encode()
    log.append(f"progress {fraction} {text}")


def emit(value):
    value.encode()
    log.append(f"emit {value}")


def now():
    return 1_700_000_000_000_000_000 + clock


def elapsed():
    return clock


def seed():
    import secrets

    return secrets.randbits(64)


def use_generators(of):
    assert of.__name__ == "Random", of


def begin_generator(generator, seed):
    import _random

    filling = _random.Random(seed)
    _random.Random.setstate(generator, (*(filling.getrandbits(32) for _ in range(624)), 624))


def bytes(count):
    if count > 65_536:
        raise RuntimeError("too many bytes at once")
    with FileIO("/dev/urandom") as device:
        return device.read(count)


def _find(name, names):
    if name in names:
        return name
    found = [known for known in names if folded(known) == folded(name)]
    return found[0] if found else None


def _unknown(problem, name, kind, known):
    import difflib

    near = difflib.get_close_matches(name, known, 3)
    guess = f"; did you mean {', '.join(f'`{name}`' for name in near)}?" if near else "."
    return UnknownName(f"{problem}{guess} {kind}: {', '.join(known)}", near)


def servers():
    log.append("servers")
    return [(name, description, sum(tool.server == name for tool in TOOLS)) for name, description in SERVERS.items()]


def server_name(name):
    log.append(f"server_name {name}")
    found = _find(name, SERVERS)
    if found is None:
        raise _unknown(f"unknown server `{name}`", name, "Servers", list(SERVERS))
    return found


def resolve(server, name):
    log.append(f"resolve {server} {name}")
    if server is None:
        for mark in ("__", "."):
            before, found, after = name.removeprefix("mcp__").partition(mark)
            if found and _find(before, SERVERS):
                return resolve(before, after)
        owners = [tool.server for tool in TOOLS if folded(tool.name) == folded(name)]
        if len(owners) != 1:
            raise _unknown(f"unknown tool `{name}`", name, "Tools", [f"{tool.server}.{tool.identifier}" for tool in TOOLS])
        server = owners[0]
    server = server_name(server)
    tools = [tool for tool in TOOLS if tool.server == server]
    found = _find(name, [tool.name for tool in tools])
    if found is None:
        raise _unknown(f"server `{server}` has no tool `{name}`", name, "Its tools", [tool.identifier for tool in tools])
    return next(at for at, tool in enumerate(TOOLS) if (tool.server, tool.name) == (server, found))


def _summary(tool):
    return tool.server, tool.name, tool.identifier, tool.description


def tools_of(server):
    server = server_name(server)
    return [_summary(tool) for tool in TOOLS if tool.server == server]


def search(query, limit, server):
    def matches(tool):
        text = f"{tool.server} {tool.name} {tool.description}".lower()
        return server in (None, tool.server) and all(word in text for word in query.lower().split())

    return [_summary(tool) for tool in TOOLS if matches(tool)][:limit]


def name_of(tool):
    return TOOLS[tool].server, TOOLS[tool].name


def parameters(tool):
    log.append(f"parameters {tool}")
    return list(TOOLS[tool].parameters)


def describe(tool):
    found = TOOLS[tool]
    return f"# tools.{name_in_python(found.server)}\n\nasync def {found.identifier}() -> Untyped:\n    ...\n"


def read_json(text, at, of):
    """What native code leaves to the module `json`: here, everything."""


def write_json(value, ascii, between_items, behind_keys, indent, sort, nan):
    """As above."""


def use_objects(of):
    """As above."""


def keys_as_attributes(of):
    """As above."""


def at_top(compile, *given):
    return compile(*given)


def begin_reading():
    """Native code reads what is compiled: here, nothing does."""


def roots_read():
    return []


def start(tool, arguments, whole=False):
    global count
    arguments.encode()
    arguments = _with_declared_names(TOOLS[tool].parameters, arguments)
    count += 1
    log.append(f"start{' whole' if whole else ''} {TOOLS[tool].name} {arguments}")
    pending[count] = (clock + TOOLS[tool].after, tool, arguments)
    return count


def _with_declared_names(parameters, arguments):
    """Arguments as the host sends them: with the schema's names."""
    named = loads(arguments)
    if named.keys() <= set(parameters):
        return arguments
    meant = {folded(name): name for name in parameters if name not in named}
    return dumps({meant.get(folded(name), name) if name not in parameters else name: value for name, value in named.items()}, separators=(",", ":"), ensure_ascii=False)


def wait(timeout):
    global clock
    if timeout is not None and timeout < 0:
        raise ValueError("a timeout is not negative")
    due = min((call[0] for call in pending.values()), default=None)
    if due is None and timeout is None:
        return []
    until = clock + timeout if timeout is not None else due
    if due is not None:
        until = min(until, due)
    clock = max(clock, until)
    if clock > 10**18:
        raise SystemError("the run waited longer than its limit")
    ended = sorted((due, number) for number, (due, _, _) in pending.items() if due <= clock)
    completions = []
    for _, number in ended:
        _, tool, arguments = pending.pop(number)
        completions.append((number, *TOOLS[tool].end(arguments)))
    return completions


def cancel(call):
    log.append(f"cancel {call}")
    pending.pop(call, None)


def files_granted():
    return "tests have no files"


def file_advice():
    return None


def files_open():
    return False
