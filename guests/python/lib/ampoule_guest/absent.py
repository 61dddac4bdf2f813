"""Parts of Python's library that need what is not here: networks, processes, threads, signals, somebody to ask. Using them is an
error that says what to use instead; importing them is not, as far as they can be imported."""

from .own import __builtins__

import _locale
import builtins
import io
import locale
import os
import sys

NETWORK = "There is no network here: call one of the granted tools; tools.search(\"words\") finds them, and tools.servers() lists their servers."
SOCKETS = (
    "There are no sockets here: call one of the granted tools; tools.search(\"words\") finds them, and tools.servers() lists their servers. "
    "Where the operator allows requests, urllib.request makes them."
)
REQUESTS = f"{NETWORK} The operator can allow requests: [outbound] in ampoule.toml."
PROCESSES = "There are no processes here: call the granted tools, together with asyncio.gather where they may run at once."
THREADS = (
    "There are no threads here: the function of one runs in place, from its start to its end, when the script waits. "
    "Write async functions, and start them together with `await asyncio.gather(...)`; asyncio.to_thread runs a function in place."
)
SIGNALS = "There are no signals here: limit a wait with asyncio.timeout(seconds)."
NOBODY = "A script can't ask a person here: write the value into the script, or read it from `env`. Show values with print(...)."
END = "End the script with `return`, or with sys.exit()."


def refusal(name, advice, error=RuntimeError):
    """A function that only says why it is not there."""

    def refuse(*args, **options):
        raise error(f"{name}: {advice}")

    refuse.__name__ = refuse.__qualname__ = name.rpartition(".")[2]
    return refuse


# What is refused in modules, by their names: attributes, or methods of classes; why; and with what error.
AMENDED = {
    "os": [
        (
            "system popen fork forkpty execl execle execlp execlpe execv execve execvp execvpe spawnl spawnle spawnlp spawnlpe spawnv "
            "spawnve spawnvp spawnvpe posix_spawn posix_spawnp startfile kill killpg wait waitpid",
            PROCESSES,
            PermissionError,
        ),
        ("abort", END, PermissionError),
    ],
    "posix": [("abort", END, PermissionError)],
    "subprocess": [("Popen.__init__", PROCESSES, PermissionError)],
    "socket": [
        (
            "socket.__init__ create_connection create_server getaddrinfo gethostbyname gethostbyname_ex gethostbyaddr getnameinfo getfqdn "
            "gethostname socketpair fromfd",
            SOCKETS,
            PermissionError,
        ),
    ],
    # `logging.config` imports it.
    "socketserver": [("BaseServer.__init__", SOCKETS, PermissionError)],
    "urllib.request": [("urlopen urlretrieve OpenerDirector.open", REQUESTS, PermissionError)],
    "http.client": [("HTTPConnection.connect HTTPConnection.request HTTPSConnection.__init__", REQUESTS, PermissionError)],
    "_thread": [("start_new_thread start_new start_joinable_thread", THREADS, RuntimeError)],
    "signal": [("signal alarm setitimer pause sigwait sigwaitinfo sigtimedwait pthread_kill raise_signal", SIGNALS, ValueError)],
    "_signal": [("raise_signal", SIGNALS, ValueError)],
    "pdb": [("set_trace run runeval runcall runctx post_mortem pm", NOBODY, RuntimeError)],
    "concurrent.futures.process": [("ProcessPoolExecutor.__init__", PROCESSES, PermissionError)],
}


# Modules that work where requests are granted.
OUTBOUND = frozenset({"http.client", "urllib.request"})


def amend(module):
    """Puts the errors into a module."""
    # It needs the event loop, which needs what is said here.
    from . import outbound

    if module.__name__ == "http.client":
        outbound.amend_client(module)
    for names, advice, error in AMENDED[module.__name__]:
        for name in names.split():
            owner, _, attribute = name.rpartition(".")
            holder = getattr(module, owner, None) if owner else module
            if holder is not None and hasattr(holder, attribute):
                said = f"{module.__name__}.{owner if attribute == '__init__' else name}"
                refuse = refusal(said, advice, error)
                if module.__name__ in OUTBOUND:
                    refuse = outbound.where_granted(getattr(holder, attribute), refuse)
                setattr(holder, attribute, refuse)


def advice_for(module, name):
    """What to use instead of an attribute that a module does not have here."""
    for names, advice, _ in AMENDED.get(module, ()):
        if name in names.split():
            return advice
    return None


class Amender:
    """Amends modules as they are loaded."""

    def find_spec(self, name, path=None, target=None):
        if name not in AMENDED:
            return None
        for finder in sys.meta_path:
            if finder is not self:
                spec = finder.find_spec(name, path, target)
                if spec is not None:
                    spec.loader = Loader(spec.loader)
                    return spec
        return None


class Loader:
    """Loads a module as another loader does, and amends it."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        self._loader.exec_module(module)
        amend(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)


class Input(io.TextIOBase):
    """Standard input: there is none."""

    encoding = "utf-8"
    name = "<stdin>"
    mode = "r"

    def readable(self):
        return True

    def isatty(self):
        return False

    def read(self, size=-1):
        raise EOFError(f"sys.stdin: {NOBODY}")

    def readline(self, size=-1):
        raise EOFError(f"sys.stdin: {NOBODY}")

    __next__ = readlines = readline


def leave(code=None):
    """`exit()`: ends the script."""
    raise SystemExit(code)


def set_locale(category, locale=None):
    """`locale.setlocale`, for the one locale that there is."""
    if locale not in (None, "", "C", "POSIX", "C.UTF-8", "C.utf8", (None, None)):
        raise _locale.Error("unsupported locale setting: there is `C` alone; write numbers as f\"{number:,.2f}\", and dates with strftime")
    return "C"


def install():
    """Puts the errors in place, before the snapshot."""
    builtins.input = refusal("input", NOBODY, EOFError)
    builtins.breakpoint = sys.breakpointhook = refusal("breakpoint", NOBODY)
    builtins.exit = builtins.quit = leave
    for module in (os, sys.modules["posix"]):
        module._exit = leave
    sys.stdin = sys.__stdin__ = Input()
    for name in AMENDED:
        if name in sys.modules:
            amend(sys.modules[name])
    locale.setlocale = set_locale
    sys.meta_path.insert(0, Amender())
