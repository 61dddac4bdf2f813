"""What runs coroutines in code that is not async: `asyncio.run`, `asyncio.Runner` and the loops that scripts make. All of it enters a loop by
`Loop.completed`, also where one runs already."""

from .own import __builtins__

import asyncio
from asyncio import events, futures, runners, tasks

from . import calls
from .loop import Loop, loop
from .running import switch_back, switch_to
from .works import Ended


class Policy(events.AbstractEventLoopPolicy if hasattr(events, "AbstractEventLoopPolicy") else events._AbstractEventLoopPolicy):
    """Which loop there is where none runs: that which was set, or the run's own."""

    _chosen = None

    def get_event_loop(self):
        chosen = self._chosen
        return loop if chosen is None or chosen.is_closed() else chosen

    def set_event_loop(self, other):
        if other is not None and not isinstance(other, asyncio.AbstractEventLoop):
            raise TypeError(f"loop must be an instance of AbstractEventLoop or None, not '{type(other).__name__}'")
        self._chosen = other

    def new_event_loop(self):
        return EventLoop()


class EventLoop(Loop):
    """`asyncio.EventLoop`: a loop that a script makes."""

    def __init__(self, *args):
        super().__init__()
        Loop._are_several = True


def run(main, *, debug=None, loop_factory=None):
    """`asyncio.run`: also where a loop runs already. What the script made for that one works here, too."""
    if not asyncio.iscoroutine(main) and not hasattr(main, "__await__"):
        raise ValueError(f"a coroutine was expected, got {main!r}")
    if loop_factory is not None:
        with Runner(debug=debug, loop_factory=loop_factory) as runner:
            return runner.run(main)
    its = events._get_running_loop() or loop
    is_nested = its.is_running()
    before = its.get_debug()
    if debug is not None:
        its.set_debug(debug)
    try:
        return its.run_until_complete(main)
    except Ended:
        # The queue goes on with it.
        is_nested = True
        raise
    finally:
        if debug is not None:
            its.set_debug(before)
        if not is_nested:
            _cancel_all(its)


def _cancel_all(loop):
    left = [task for task in loop._tasks() if not task.done() and task.get_loop() is loop]
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(tasks.gather(*left, return_exceptions=True))
    if loop._asyncgens or loop._ready:
        # Asynchronous generators that were left are closed by tasks of their own.
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop._end_tasks(loop)


class Runner(runners.Runner):
    """`asyncio.Runner`: also where a loop runs already."""

    def run(self, coro, *, context=None):
        self._lazy_init()
        if not asyncio.iscoroutine(coro):
            if not hasattr(coro, "__await__"):
                raise TypeError("An asyncio.Future, a coroutine or an awaitable is required")
            coro = awaited(coro)
        task = self._loop.create_task(coro, context=self._context if context is None else context)
        return self._loop.run_until_complete(task)

    def close(self):
        if self._loop is not None and self._loop.is_running():
            # Whoever made it, a loop that runs is not the runner's.
            self._loop = None
            self._state = runners._State.CLOSED
            return
        # What gathers the tasks that are left takes the loop that runs for theirs.
        before = switch_to(None)
        try:
            super().close()
        finally:
            switch_back(before)


async def awaited(value):
    return await value


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


def forget():
    """Forgets which loop was set."""
    events._event_loop_policy.set_event_loop(None)


def install():
    """Makes these those of asyncio, before the snapshot."""
    events._event_loop_policy = Policy()
    asyncio._DefaultEventLoopPolicy = Policy
    asyncio.EventLoop = asyncio.SelectorEventLoop = EventLoop
    asyncio.run = asyncio.runners.run = run
    asyncio.Runner = asyncio.runners.Runner = Runner
    asyncio.wait = tasks.wait = wait
