"""The event loop: what is ready first, then timers that are due and calls that have ended. It says what it waits for, and is run again; where it
runs in the middle of something, it stands on `_ampoule.wait`.

A run has this one loop. It may be entered again while it runs, so that `asyncio.run` works also where code awaits at its top.
"""

from .own import __builtins__

import asyncio
import contextvars
import sys
import threading
import weakref
from asyncio import events, futures, tasks
from heapq import heapify, heappop
from math import ceil

from _ampoule import elapsed, wait as wait_for_calls

from . import calls, output
from .absent import NETWORK, PROCESSES, SIGNALS
from .calls import note, pending, take
from .thrown import line_of

STUCK = (
    "The script waits for something that nothing can bring about: no call is under way and no timer is set. "
    "Check that each future, event, queue or lock that it awaits is set, filled or released."
)

STUCK_LATER = (
    "The script waits for something that nothing can bring about: no call is under way and no timer is set. "
    "A timer that an earlier run of the session did not wait for ended with that run: set it again."
)

# How many cancelled timers are kept before they are thrown away.
CANCELLED_TIMERS = 100

# How many tasks are remembered, dead or alive, before the dead ones are thrown away.
TASKS_KEPT = 1000

# How many turns of the loop tasks get that are cancelled when the script has ended.
LAST_TURNS = 1000

copy_context = contextvars.copy_context
swap_current_task = tasks._swap_current_task if hasattr(tasks, "_swap_current_task") else tasks._py_swap_current_task


class Handle(events.Handle):
    """What is to be called, without what is only for debugging."""

    __slots__ = ()

    def __init__(self, callback, args, loop, context=None):
        self._context = copy_context() if context is None else context
        self._loop = loop
        self._callback = callback
        self._args = args
        self._cancelled = False
        self._repr = None
        self._source_traceback = None


class Loop(asyncio.BaseEventLoop):
    """The run's event loop."""

    # How often it was entered, one run within the other.
    _depth = 0

    # What is said where nothing can go on, and to whoever awaits a task that was not done at the script's end.
    stuck = STUCK
    cancelled = None

    def __init__(self):
        super().__init__()
        # The tasks that were made, as weak references; and how many may be there before the dead ones are thrown away.
        self._made = []
        self._most_made = TASKS_KEPT

    def __del__(self):
        """Does nothing: it is never closed."""

    # What is scheduled.

    def time(self):
        return elapsed() / 1e9

    def call_soon(self, callback, *args, context=None):
        handle = Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def create_task(self, coro, **options):
        if self._task_factory is not None:
            task = self._task_factory(self, coro, **options)
        else:
            task = asyncio.Task(coro, loop=self, **options)
        made = self._made
        made.append(weakref.ref(task))
        if len(made) > self._most_made:
            made[:] = [ref for ref in made if ref() is not None]
            self._most_made = max(TASKS_KEPT, 2 * len(made))
        try:
            return task
        finally:
            # An error's traceback may keep this frame.
            del task

    def run_in_executor(self, executor, function, *args):
        """Runs a function in place: there are no threads."""
        future = self.create_future()
        try:
            future.set_result(function(*args))
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            future.set_exception(error)
        return future

    # What runs.

    def turns(self, over, stuck):
        """Runs what is ready, after waiting for it, until it is over. Where nothing can ever be ready, it is stuck. Yields how many nanoseconds it waits, none
        for as long as it takes, and is sent the calls that have ended: so it can be left there, and nothing of it is on a stack."""
        ready = self._ready
        while not over():
            timers = self._scheduled
            if timers:
                self._forget_cancelled()
            if ready:
                if pending:
                    take(0)
            elif timers or pending:
                left = max(0, ceil(min(timers[0]._when, calls.LONGEST) * 1e9) - elapsed()) if timers else None
                # A look costs less than a step.
                ended = wait_for_calls(0) if pending else ()
                if not ended and left != 0:
                    ended = yield left
                note(ended)
            else:
                stuck()
                continue
            if timers:
                now = elapsed()
                while timers and timers[0]._when * 1e9 <= now:
                    timer = heappop(timers)
                    timer._scheduled = False
                    ready.append(timer)
            self._run_ready()

    def _forget_cancelled(self):
        timers = self._scheduled
        if self._timer_cancelled_count > CANCELLED_TIMERS and self._timer_cancelled_count > len(timers) // 2:
            for timer in timers:
                timer._scheduled = not timer._cancelled
            timers[:] = [timer for timer in timers if not timer._cancelled]
            heapify(timers)
            self._timer_cancelled_count = 0
        while timers and timers[0]._cancelled:
            heappop(timers)._scheduled = False
            self._timer_cancelled_count -= 1

    def completed(self, future):
        """The turns until a future is done, and what it gives."""
        made = not futures.isfuture(future)
        future = tasks.ensure_future(future, loop=self)
        if made:
            # Whoever called hears of its end.
            future._log_destroy_pending = False
        before = self._enter()
        try:
            yield from self.turns(future.done, lambda: unstick(future))
        except BaseException:
            if made and future.done() and not future.cancelled():
                future.exception()
            raise
        finally:
            self._leave(before)
        return future.result()

    def run_until_complete(self, future):
        return in_place(self.completed(future))

    def run_forever(self):
        before = self._enter()
        try:
            in_place(self.turns(lambda: self._stopping, stuck_for_ever))
        finally:
            self._stopping = False
            self._leave(before)

    def _enter(self):
        self._depth += 1
        if self._depth > 1:
            return swap_current_task(self, None)
        self._thread_id = threading.get_ident()
        sys.set_asyncgen_hooks(firstiter=self._asyncgen_firstiter_hook, finalizer=self._asyncgen_finalizer_hook)
        events._set_running_loop(self)
        return None

    def _leave(self, before):
        self._depth -= 1
        if self._depth:
            swap_current_task(self, before)
            return
        self._thread_id = None
        sys.set_asyncgen_hooks(None, None)
        events._set_running_loop(None)

    def is_running(self):
        return self._depth > 0

    def is_closed(self):
        return False

    def close(self):
        """Does nothing: what the script does next has the same loop."""

    async def shutdown_default_executor(self, timeout=None):
        """Does nothing: there are no threads."""

    # What nobody heard.

    def default_exception_handler(self, context):
        error = context.get("exception")
        task = context.get("task") or context.get("future")
        if isinstance(task, calls.Call):
            return
        if isinstance(error, BaseException):
            what = "a task failed, and nothing awaited it" if isinstance(task, asyncio.Task) else context.get("message")
            output.warn(f"{what}: {line_of(error)}")
        else:
            output.warn(context.get("message") or "Unhandled error in the event loop")

    def cancel_left(self):
        """Cancels the tasks that the script left behind."""
        left = sum(not task.done() for task in self._tasks())
        if left:
            what = "a task was" if left == 1 else f"{left} tasks were"
            output.warn(f"the script ended while {what} not done: cancelled. Await what is to be done.")
        if left or self._ready:
            self._end_tasks()

    def finish(self):
        """Warns of what failed while nobody awaited it."""
        self.cancel_left()
        for task in self.unheard():
            self.default_exception_handler({"task": task, "exception": task.exception()})

    def unheard(self):
        """The tasks that failed while nobody awaited them."""
        return [task for task in self._tasks() if task.done() and not task.cancelled() and task._log_traceback]

    def _end_tasks(self):
        """Cancels all tasks, and runs what they still do without waiting."""
        before = self._enter()
        try:
            for _ in range(LAST_TURNS):
                if not self._ready:
                    left = [task for task in self._tasks() if not task.done()]
                    if not left:
                        break
                    for task in left:
                        task.cancel(self.cancelled)
                self._run_ready()
        finally:
            self._leave(before)

    def _run_ready(self):
        ready = self._ready
        for _ in range(len(ready)):
            if not ready:
                # The loop was entered again meanwhile, and ran them.
                break
            handle = ready.popleft()
            if not handle._cancelled:
                handle._run()
        # What it holds may be freed.
        handle = None

    def _tasks(self):
        return [task for ref in self._made if (task := ref()) is not None]


def in_place(turns):
    """Runs turns to their end, waiting in the middle of whatever runs them."""
    ended = None
    try:
        while True:
            ended = wait_for_calls(turns.send(ended))
    except StopIteration as end:
        return end.value


def stuck_for_ever():
    raise RuntimeError(loop.stuck)


def unstick(future):
    """Raises where the script waits for what can't come."""
    waiter = future
    while isinstance(waiter, asyncio.Task) and waiter._fut_waiter is not None:
        waiter = waiter._fut_waiter
    error = RuntimeError(loop.stuck)
    unheard = [*(call for call in calls.failed if call._log_traceback), *loop.unheard()]
    if unheard:
        # That is probably why.
        error.__cause__ = unheard[0].exception()
    if isinstance(waiter, asyncio.Task) or waiter.done():
        raise error
    waiter.set_exception(error)


# What an event loop elsewhere has, by what to use instead.
REFUSED = {
    NETWORK: (
        "create_connection create_server create_unix_connection create_unix_server create_datagram_endpoint start_tls sendfile sock_recv "
        "sock_recv_into sock_recvfrom sock_recvfrom_into sock_sendall sock_sendto sock_connect sock_accept sock_sendfile getaddrinfo "
        "getnameinfo connect_accepted_socket add_reader remove_reader add_writer remove_writer connect_read_pipe connect_write_pipe"
    ),
    PROCESSES: "subprocess_exec subprocess_shell",
    SIGNALS: "add_signal_handler remove_signal_handler",
}


def _refusal(name, advice):
    def refuse(self, *args, **options):
        raise NotImplementedError(f"{name}: {advice}")

    refuse.__name__ = name
    return refuse


for _advice, _names in REFUSED.items():
    for _name in _names.split():
        setattr(Loop, _name, _refusal(_name, _advice))


class Policy(events.AbstractEventLoopPolicy if hasattr(events, "AbstractEventLoopPolicy") else events._AbstractEventLoopPolicy):
    """There is one loop."""

    def get_event_loop(self):
        return loop

    def set_event_loop(self, other):
        pass

    def new_event_loop(self):
        return loop


loop = Loop()
calls.ready = loop._ready
calls.timers = loop._scheduled


class EventLoop(Loop):
    """`asyncio.EventLoop`: making one gives the one that there is."""

    def __new__(cls, *args):
        return loop


python_wait = tasks.wait
RETURN_WHEN = (tasks.ALL_COMPLETED, tasks.FIRST_COMPLETED, tasks.FIRST_EXCEPTION)


async def wait(fs, *, timeout=None, return_when=tasks.ALL_COMPLETED):
    """`asyncio.wait`, to which calls are futures, though they are coroutines as well."""
    if not futures.isfuture(fs) and not asyncio.iscoroutine(fs):
        fs = set(fs)
        if fs and return_when in RETURN_WHEN and all(map(futures.isfuture, fs)):
            for future in fs:
                if isinstance(future, calls.Call):
                    calls.hear(future)
            return await tasks._wait(fs, timeout, return_when, events.get_running_loop())
    return await python_wait(fs, timeout=timeout, return_when=return_when)


def run(main, *, debug=None, loop_factory=None):
    """`asyncio.run`: also where the loop runs already."""
    if not asyncio.iscoroutine(main) and not hasattr(main, "__await__"):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    nested = loop.is_running()
    try:
        return loop.run_until_complete(main)
    finally:
        if not nested:
            _cancel_all(loop)


def _cancel_all(loop):
    left = [task for task in loop._tasks() if not task.done()]
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(tasks.gather(*left, return_exceptions=True))
    if loop._asyncgens or loop._ready:
        # Asynchronous generators that were left are closed by tasks of their own.
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop._end_tasks()


def install():
    """Makes this the loop of asyncio, before the snapshot."""
    events._event_loop_policy = Policy()
    asyncio._DefaultEventLoopPolicy = Policy
    asyncio.EventLoop = asyncio.SelectorEventLoop = EventLoop
    asyncio.run = asyncio.runners.run = run
    asyncio.wait = tasks.wait = wait
