"""Sessions: scripts that run one after the other, each in an instance of its own that begins with the memory which the one before left. What is in
`__main__` then stays there for the next."""

from .own import __builtins__

import builtins
import re
import sys
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

from . import calls, missed, output
from .loop import STUCK_LATER, loop

# What the scripts of a session have in common; None where there is no session.
session = None

# What is said of a task that a script did not wait for.
LEFT = "the session's run that began this task ended without waiting for it. Begin it again, and `await` it."

# How many names are told, and how long one is that is told whole.
TOLD = 500
NAME_LENGTH = 100

# How many copies a script may ask for.
FORKS = 16

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

# What has a size, and what tells it. Nothing of the script runs for that.
SIZED = (str, bytes, bytearray, list, tuple, dict, set, frozenset, range, memoryview)


class Session:
    """The session that the script is one of."""

    def __init__(self):
        self._name = ""
        self._back = 0
        self._forks = []
        self._rewind = None
        # The module of its scripts.
        self._main = None
        # Whether its scripts may have left code, and whether they may have changed what all scripts have.
        self._has_code = self._is_open = False

    @property
    def name(self):
        """What it is called."""
        return self._name

    def fork(self, name):
        """Keeps a copy of what this run leaves, as another session."""
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError("session.fork takes a name for the copy: letters, digits, `.`, `_` and `-`, at most 64, and a letter or digit first")
        if len(self._forks) >= FORKS:
            raise ValueError(f"one run can make at most {FORKS} copies of its session")
        self._forks.append(name + "")

    def rewind(self, runs=0):
        """Goes back to what was there so many runs before this one, when this one ends."""
        if isinstance(runs, bool) or not isinstance(runs, int) or not 0 <= runs <= self._back:
            raise ValueError(f"session.rewind takes how many runs to undo besides this one: from 0 to {self._back}")
        self._rewind = int(runs)

    def __repr__(self):
        return f"<session {self._name}>"


def begin(name, back):
    """The next script is one of a session, and may go back by so many."""
    global session
    if session is None:
        session = builtins.session = Session()
        loop.cancelled = LEFT
    session._name = name
    session._back = back


def main():
    """The module of the session's scripts, if there is one from before."""
    return None if session is None else session._main


def leave():
    """Lets go of what is the ended script's alone. Gives the names that are left, each with its kind and its size, how many more there are, the copies
    that the script asked for, and how far it goes back."""
    timers = sum(not timer._cancelled for timer in loop._scheduled)
    if timers:
        were = "timer was" if timers == 1 else "timers were"
        output.warn(f"{timers} {were} still set when the script ended. Timers don't last: the session's next run does not have them.")
        loop.stuck = STUCK_LATER
    for call in [*calls.pending.values()]:
        calls.leave(call)
    for held in (calls.pending, calls.failed, calls.unheard, calls.heard, loop._made, loop._ready, loop._scheduled):
        held.clear()
    loop._timer_cancelled_count = 0
    missed.forget()
    output.finish()
    output.stdout._used = False
    session._main = sys.modules.get("__main__")
    names = [name for name in namespace() if isinstance(name, str) and name[:2] != "__"]
    told = [described(name) for name in names[:TOLD]]
    forks, rewind = session._forks, session._rewind
    session._forks, session._rewind = [], None
    return told, len(names) - len(told), forks, rewind


def namespace():
    return getattr(session._main, "__dict__", {})


def described(name):
    """A name, the kind of what it holds, and how many items, characters or bytes that has."""
    value = namespace()[name]
    size = next((kind.__len__(value) for kind in SIZED if isinstance(value, kind)), None)
    return shortened(name), shortened(kind_of(value)), None if size is None else min(size, 0xFFFFFFFF)


def kind_of(value):
    kind = type(value)
    if issubclass(kind, type):
        return "class"
    if kind in (FunctionType, BuiltinFunctionType, MethodType):
        return "function"
    return "module" if issubclass(kind, ModuleType) else type.__dict__["__name__"].__get__(kind)


def shortened(text):
    return output.encodable(str.__str__(text)[:NAME_LENGTH])
