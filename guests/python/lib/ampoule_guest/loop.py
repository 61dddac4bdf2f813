"""The event loop: what is ready first, then timers that are due and calls that have ended. It says what it waits for, and is run again; where it
runs in the middle of something, it stands on `_ampoule.wait`.

A run has one queue of what is to be called, and one loop of its own, `loop`. It may be entered again while it runs, so that `asyncio.run` works also
where code awaits at its top. The loops that a script makes have that queue, too: whichever was entered last, what belongs to the others goes on.
"""

from .own import __builtins__

import asyncio
import contextvars
import weakref
from asyncio import events, futures, tasks
from collections import deque
from heapq import heapify, heappop
from math import ceil

from _ampoule import elapsed, wait as wait_for_calls

from . import calls, output, works
from .calls import note, pending, take
from .running import loop_of, run_in, switch_back, switch_to
from .thrown import line_of
from .works import Ended, broken, waiters

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

# How many loops may run one within the other: each stands on the stack, and so does what is run in the place of a thread.
MOST_NESTED = 100

NESTED_TOO_DEEP = (
    f"More than {MOST_NESTED} event loops would run one within the other. "
    "Await the coroutine, as in `await work()`, instead of asyncio.run(work()) in what async code calls."
)

# What is ready, the timers, and the tasks that were made, as weak references: those of all loops.
ready = deque()
scheduled = []
made = []

copy_context = contextvars.copy_context


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
    """An event loop: the run's own, or one that a script made."""

    # How often it was entered, one run within the other; and how often any was.
    _depth = 0
    _all_depths = 0

    # Whether there is more than the run's own.
    _are_several = False

    # Whether what would have a thread of its own was to run it for ever: the queue that all loops have does that, until it is stopped.
    _is_left = False

    # How many tasks may be remembered before the dead ones are thrown away.
    _most_made = TASKS_KEPT

    # What is said where nothing can go on, and to whoever awaits a task that was not done at the script's end.
    stuck = STUCK
    cancelled = None

    def __init__(self):
        super().__init__()
        self._ready = ready
        self._scheduled = scheduled
        self._made = made

    def __del__(self):
        """Does nothing: it has nothing that must be given back."""

    # What is scheduled.

    def time(self):
        return elapsed() / 1e9

    def call_soon(self, callback, *args, context=None):
        if self._closed:
            self._check_closed()
        handle = Handle(callback, args, self, context)
        self._ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def create_task(self, coro, **options):
        if self._closed:
            self._check_closed()
        if self._task_factory is not None:
            task = self._task_factory(self, coro, **options)
        else:
            task = asyncio.Task(coro, loop=self, **options)
        made.append(weakref.ref(task))
        if len(made) > Loop._most_made:
            made[:] = [ref for ref in made if ref() is not None]
            Loop._most_made = max(TASKS_KEPT, 2 * len(made))
        try:
            return task
        finally:
            # An error's traceback may keep this frame.
            del task

    def run_in_executor(self, executor, function, *args):
        """Runs a function in place: there are no threads."""
        future = self.create_future()
        before = switch_to(None)
        try:
            future.set_result(function(*args))
        except (SystemExit, KeyboardInterrupt):
            raise
        except BaseException as error:
            future.set_exception(error)
        finally:
            switch_back(before)
        return future

    def _timer_handle_cancelled(self, handle):
        if handle._scheduled:
            loop._timer_cancelled_count += 1

    # What runs.

    def turns(self, over, stuck):
        """Runs what is ready, after waiting for it, until it is over. Where nothing can ever be ready, it is stuck. Yields how many nanoseconds it waits, none
        for as long as it takes, and is sent the calls that have ended: so it can be left there, and nothing of it is on a stack."""
        timers = scheduled
        while not over():
            if broken:
                stuck()
                continue
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
        timers = scheduled
        if loop._timer_cancelled_count > CANCELLED_TIMERS and loop._timer_cancelled_count > len(timers) // 2:
            for timer in timers:
                timer._scheduled = not timer._cancelled
            timers[:] = [timer for timer in timers if not timer._cancelled]
            heapify(timers)
            loop._timer_cancelled_count = 0
        while timers and timers[0]._cancelled:
            heappop(timers)._scheduled = False
            loop._timer_cancelled_count -= 1

    def completed(self, future):
        """The turns until a future is done, and what it gives."""
        self._check_closed()
        made = not futures.isfuture(future)
        before = self._enter()
        try:
            if made:
                future = tasks.ensure_future(future, loop=self)
                # Whoever called hears of its end.
                future._log_destroy_pending = False
            waiters.append(future.done)
            try:
                yield from self.turns(works.until(future.done), lambda: unstick(future))
            finally:
                waiters.pop()
            if not future.done():
                # What is in the queue goes on.
                raise Ended
            if self is not loop and ready:
                # It may be closed now: what was ready with the future's end had its turn elsewhere.
                self._run_ready()
        except BaseException:
            if made and futures.isfuture(future) and future.done() and not future.cancelled():
                future.exception()
            raise
        finally:
            self._leave(before)
        return future.result()

    def run_until_complete(self, future):
        return in_place(self.completed(future))

    def run_forever(self):
        self._check_closed()
        works.leave_to(self)
        before = self._enter()
        try:
            in_place(self.turns(lambda: self._stopping, stuck_for_ever))
        finally:
            self._stopping = False
            self._leave(before)

    def _enter(self):
        if Loop._all_depths >= MOST_NESTED:
            raise RecursionError(NESTED_TOO_DEEP)
        before = switch_to(self)
        Loop._all_depths += 1
        self._depth += 1
        return before

    def _leave(self, before):
        Loop._all_depths -= 1
        self._depth -= 1
        switch_back(before)

    def is_running(self):
        return self._depth > 0 or self._is_left and not self._stopping

    def close(self):
        """Closes it, if it is not the run's own: what the script does next has that."""
        if self is loop or self._closed or self._is_left and not self._stopping:
            return
        if self._depth:
            raise RuntimeError("Cannot close a running event loop")
        self._closed = True
        drop(self)

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

    def _end_tasks(self, loop=None):
        """Cancels all tasks, or those of one loop, and runs what they still do without waiting."""
        before = self._enter()
        try:
            for _ in range(LAST_TURNS):
                if not self._ready:
                    left = [task for task in self._tasks() if not task.done() and loop in (None, task.get_loop())]
                    if not left:
                        break
                    for task in left:
                        task.cancel(self.cancelled)
                self._run_ready()
        finally:
            self._leave(before)

    def _run_ready(self):
        for _ in range(len(ready)):
            if not ready:
                # The loop was entered again meanwhile, and ran them.
                break
            handle = ready.popleft()
            if not handle._cancelled:
                if Loop._are_several and (its := loop_of(handle)) is not self:
                    run_in(its, handle, self)
                else:
                    handle._run()
        # What it holds may be freed.
        handle = None

    def _tasks(self):
        return [task for ref in made if (task := ref()) is not None]


def drop(closed):
    """Takes what belongs to a loop that was closed out of the queue."""
    kept = [handle for handle in ready if loop_of(handle) is not closed]
    ready.clear()
    ready.extend(kept)
    for timer in scheduled:
        if timer._loop is closed:
            timer.cancel()
    # Nothing can go on with its tasks.
    made[:] = [ref for ref in made if (task := ref()) is not None and (task.done() or task.get_loop() is not closed)]


def in_place(turns):
    """Runs turns to their end, waiting in the middle of whatever runs them."""
    ended = None
    try:
        while True:
            ended = wait_for_calls(turns.send(ended))
    except StopIteration as end:
        return end.value


def stuck_for_ever():
    raise in_vain()


def in_vain():
    """The error where nothing can go on: that of a thread, if one had to be given up."""
    return broken.pop(0) if broken else RuntimeError(loop.stuck)


def unstick(future):
    """Raises where the script waits for what can't come."""
    waiter = future
    while isinstance(waiter, asyncio.Task) and waiter._fut_waiter is not None:
        waiter = waiter._fut_waiter
    error = in_vain()
    unheard = [*(call for call in calls.failed if call._log_traceback), *loop.unheard()]
    if unheard and error.__cause__ is None:
        # That is probably why.
        error.__cause__ = unheard[0].exception()
    if isinstance(waiter, asyncio.Task) or waiter.done():
        raise error
    waiter.set_exception(error)


loop = Loop()
calls.ready = ready
calls.timers = scheduled
