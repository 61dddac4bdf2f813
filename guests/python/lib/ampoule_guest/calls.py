"""Calls that were started, and what becomes of them."""

from .own import __builtins__

from asyncio import CancelledError, Future
from asyncio.events import _get_running_loop
from sys import _getframe

import _ampoule
from _ampoule import elapsed, wait

from .output import encodable
from .unawaited import Unawaited
from .values import decode, parse

# The longest time that is ever waited for, in seconds: longer than any run.
LONGEST = 1e9

# What is said of a call whose run of a session did not wait for it.
LEFT = (
    "the session's run that made this call ended without waiting for it: its answer is lost, and it may or may not have been done. "
    "Call the tool again, and `await` it."
)

# The calls under way, by their numbers.
pending = {}

# What is ready to run in the loop, and the timers in it, which says so.
ready = ()
timers = ()

# What looks at each answer, if anything does.
look_at = None

# Calls that failed while nobody awaited them, in their order.
failed = []

# The tools and places of calls that gave a value while nobody awaited it, by their numbers, until somebody does.
unheard = {}

# The numbers of calls that somebody waited for, though they have no callbacks.
heard = set()


class ToolError(Exception):
    """A call that a tool refused, or that did not reach it."""

    # What the tool told of it as data, where it did.
    data = None

    # Where the call was made: the code, and the instruction in it.
    _at = None

    def __init__(self, message="", *, kind="failed", server=None, tool=None, content=None, data=None):
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.server = server
        self.tool = tool
        self.content = [] if content is None else content
        if data is not None:
            self.data = data

    def __reduce__(self):
        return _tool_error, (self.message, self.kind, self.server, self.tool, self.content, self.data)


def _tool_error(message, kind, server, tool, content, data):
    return ToolError(message, kind=kind, server=server, tool=tool, content=content, data=data)


class Call(Unawaited, Future):
    """A call of a tool, which has started. `await` gives its value, as often as one likes; so does `.result()`, which waits for it
    where code is not async. It is a coroutine for those who want one, and else a future."""

    __slots__ = ("number", "tool", "_steps", "_at")

    def result(self, timeout=None):
        """Waits for the value, at most so many seconds."""
        if not self.done():
            wait_for(self, timeout)
        return Future.result(self)

    def exception(self, timeout=None):
        """Waits for the end, at most so many seconds, and gives the error if there is one."""
        if not self.done():
            wait_for(self, timeout)
        return Future.exception(self)

    def get_loop(self):
        """The loop that runs: a call may be awaited in any."""
        return _get_running_loop() or Future.get_loop(self)

    def cancel(self, msg=None):
        """Ends the call early."""
        if pending.pop(self.number, None) is not None:
            _ampoule.cancel(self.number)
        return Future.cancel(self, msg)

    def __await__(self):
        if not ready and not timers and len(pending) == 1 and self.number in pending:
            # Nothing else can go on meanwhile. Where the call has ended already, the loop need not be asked, and nobody be called back.
            heard.add(self.number)
            take(0)
        return Future.__await__(self)

    # As a coroutine.

    def send(self, value):
        try:
            steps = self._steps
        except AttributeError:
            steps = None
        if steps is None:
            steps = self._steps = self.__await__()
        try:
            return steps.send(value)
        except BaseException:
            self._steps = None
            raise

    def throw(self, *error):
        self._steps = None
        if len(error) == 1 and isinstance(error[0], BaseException):
            raise error[0]
        kind, value = (*error, None)[:2]
        raise value if isinstance(value, BaseException) else kind() if value is None else kind(value)

    def close(self):
        self._steps = None

    def __repr__(self):
        return f"<call of {self.tool}>"


class Unheard(Call):
    """A call that gave its value while nobody awaited it. It is a call like others once somebody does."""

    __slots__ = ()

    def __await__(self):
        return hear(self).__await__()

    def send(self, value):
        return hear(self).send(value)

    def result(self, timeout=None):
        return hear(self).result()

    def exception(self, timeout=None):
        return hear(self).exception()

    def add_done_callback(self, function, **options):
        hear(self).add_done_callback(function, **options)


Unheard.__name__ = Call.__name__


def hear(call):
    """Notes that somebody awaits a call."""
    if type(call) is Unheard:
        # One of an earlier run of the session is not there any more.
        unheard.pop(call.number, None)
        call.__class__ = Call
    else:
        heard.add(call.number)
    return call


def start(loop, tool, arguments, whole=False):
    """Starts a call of a tool with the JSON text of its arguments, for the function that calls this one's caller. `whole`: its value is all of the
    answer."""
    call = Call(loop=loop)
    try:
        number = _ampoule.start(tool.number, arguments, whole)
    except UnicodeEncodeError:
        number = _ampoule.start(tool.number, encodable(arguments), whole)
    except _ampoule.UnknownName as unknown:
        # An earlier run of the session had it.
        raise ToolError(unknown.args[0], kind="not-reached", server=tool.server, tool=tool.name) from None
    call.number = number
    call.tool = tool
    caller = _getframe(2)
    call._at = caller.f_code, caller.f_lasti
    pending[number] = call
    return call


def take(timeout):
    """Waits for calls that end, at most so many nanoseconds, and notes how they did."""
    note(wait(timeout))


def note(completions):
    """Notes how calls ended."""
    for completion in completions:
        call = pending.pop(completion[0], None)
        if call is None or call.done():
            continue
        if completion[1] is not False:
            try:
                value = completion[2] if completion[1] else decode(completion[2])
                if look_at is not None:
                    look_at(value)
                before = len(ready)
                call.set_result(value if call.tool.shaped is None else call.tool.shaped(value))
                if len(ready) == before and completion[0] not in heard:
                    # Nobody is called back.
                    unheard[completion[0]] = call.tool, call._at
                    call.__class__ = Unheard
            except (ValueError, RecursionError) as error:
                fail(call, "protocol", f"The answer can't be read: {error}", "[]")
        else:
            fail(call, *completion[2:])


def fail(call, kind, message, content, data=None):
    """Notes that a call failed. Data that can't be read stays a text."""
    try:
        content = parse(content)
    except (ValueError, RecursionError):
        content = []
    if data is not None:
        try:
            data = parse(data)
        except (ValueError, RecursionError):
            pass
    if not call._callbacks:
        failed.append(call)
    error = ToolError(message, kind=kind, server=call.tool.server, tool=call.tool.name, content=content, data=data)
    error._at = call._at
    call.set_exception(error)


def wait_for(call, timeout):
    """Waits for one call, for code that is not async. What else ends is noted for those who await it."""
    hear(call)
    end = None if timeout is None else elapsed() + int(min(timeout, LONGEST) * 1e9)
    while not call.done():
        if call.number not in pending:
            raise CancelledError(f"the call of {call.tool} was cancelled")
        left = None if end is None else end - elapsed()
        if left is not None and left <= 0:
            raise TimeoutError(f"the call of {call.tool} took longer than {timeout} s")
        take(left)


def end_unawaited(lasts):
    """Ends the calls under way that nobody awaits, and gives their tools and places. In a session, which `lasts`, a later script may await them."""
    left = [call for number, call in pending.items() if not call._callbacks and number not in heard]
    for call in left:
        leave(call) if lasts else call.cancel()
    return [(call.tool, call._at) for call in left]


def leave(call):
    """Ends a call under way, and says so to whoever awaits it later."""
    del pending[call.number]
    _ampoule.cancel(call.number)
    if call.done():
        return
    error = ToolError(LEFT, kind="lost", server=call.tool.server, tool=call.tool.name)
    error._at = call._at
    call.set_exception(error)
    # Nobody has to.
    call._log_traceback = False


def sleep(seconds):
    """Waits so many seconds. Calls go on meanwhile."""
    if not isinstance(seconds, (int, float)):
        seconds = float(seconds)
    if seconds != seconds or seconds < 0:
        raise ValueError("sleep length must be non-negative")
    end = elapsed() + int(min(seconds, LONGEST) * 1e9)
    take(max(0, end - elapsed()))
    while (left := end - elapsed()) > 0:
        take(left)
