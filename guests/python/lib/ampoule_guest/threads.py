"""Functions that have threads of their own elsewhere, run in place: one begins when the script waits, for it or for anything else, and what it waits for
itself is brought about by those that have not begun, and by the event loop. Where that can't be, an error says that there are no threads."""

from .own import __builtins__

import contextvars
import threading
from itertools import count
from math import ceil

from _ampoule import elapsed

from . import calls, output, works
from .absent import THREADS
from .calls import LONGEST
from .loop import MOST_NESTED, Loop, in_place, loop
from .running import switch_back, switch_to
from .thrown import line_of
from .works import Ended, Work, begun, begun_last, broken, failures, is_in_daemon, may_go_on_below, used, waiters, waiting

# How long a thread may sleep while the rest of the script could go on, in nanoseconds: one that waits for the rest would do so for ever.
LONGEST_SLEEP = 10 * 10**9

# How long a thread sleeps at once, in seconds, before it is looked whether the rest of the script could go on.
SLEEP_AT_ONCE = 1

# How many seconds the script's end waits for timers.
LAST_WAIT = 10

# How many threads may wait on top of each other before one is ended rather than another one begun, where what waits below could go on.
MANY = 20

# How often the loop is asked to begin works, at once.
asked = []

numbers = count(1)
python_excepthook = threading.excepthook


class Stuck(Exception):
    """Nothing can go on."""


def refused(what):
    """The error where only a thread of its own would help."""
    error = RuntimeError(f"{what}. {THREADS}")
    error.is_of_threads = True
    unheard = [*failures, *(call.exception() for call in calls.failed if call._log_traceback), *(task.exception() for task in loop.unheard())]
    if unheard:
        # That is probably why.
        error.__cause__ = unheard[0]
    return error


def put(work, delay=0):
    """Lets a work begin when the script waits next, or so many seconds later."""
    if delay > 0:
        work.due = loop.time() + delay
        work.handle = loop.call_at(work.due, begin_next)
    waiting.append(work)
    used[:] = (True,)
    ask()
    return work


def ask():
    """Has the loop begin the next work, in its turn."""
    if not asked:
        asked.append(True)
        loop.call_soon(begin_next)


def begin_next():
    """Begins the next work, from the loop."""
    asked.clear()
    work = next_work()
    if work is None:
        return
    try:
        begin(work)
    except RuntimeError as error:
        # Whoever waits next is told.
        broken.append(error)
    if next_work() is not None:
        ask()


def next_work():
    """The first that is to begin now, if there is one."""
    for work in waiting:
        # As the loop looks at its timers.
        if not work.due or work.due * 1e9 <= elapsed():
            return work
    return None


def begin(work):
    """Runs a work from its start to its end, in place."""
    if Loop._all_depths + len(begun) >= MOST_NESTED:
        raise refused(f"more than {MOST_NESTED} threads wait for each other")
    unqueue(work)
    work.is_begun = True
    begun.append(work)
    before = switch_to(None)
    try:
        work.function()
    except Ended:
        pass
    finally:
        switch_back(before)
        begun.pop()
        work.end()


def drop(work):
    """Never begins a work."""
    if not work.is_begun and work in waiting:
        unqueue(work)
        work.end()


def unqueue(work):
    waiting.remove(work)
    if work.handle is not None:
        work.handle.cancel()


def waited(over, timeout=None, what="this wait"):
    """Waits in the middle of code until it is over, at most so many seconds, and tells whether it is. What has not begun begins, and the loop goes on."""
    if over():
        return True
    end = None if timeout is None else elapsed() + int(min(max(timeout, 0), LONGEST) * 1e9)
    waiters.append(over)
    try:
        while not over():
            if broken:
                raise broken.pop(0)
            if end is not None and elapsed() >= end:
                return False
            work = next_work()
            if end is None and (work is None or len(begun) >= MANY) and is_in_daemon() and may_go_on_below() and is_idle() and not calls.pending:
                raise Ended
            if work is not None:
                begin(work)
            else:
                start = elapsed()
                turn(over, end, what)
                if end is not None:
                    charge(what, elapsed() - start)
        return True
    finally:
        waiters.pop()


def turn(over, end, what):
    """Lets the loop go on, until it is over, the time is up or a work is to begin."""

    def is_over():
        return over() or broken or next_work() is not None or end is not None and elapsed() >= end

    timer = None if end is None else loop.call_at(end / 1e9, is_over)
    before = loop._enter()
    # What the loop runs is not the thread's.
    begun.append(None)
    try:
        in_place(loop.turns(is_over, stuck))
        return
    except Stuck:
        pass
    finally:
        begun.pop()
        loop._leave(before)
        if timer is not None:
            timer.cancel()
    if is_in_daemon():
        raise Ended
    raise refused(f"{what}: nothing can end this wait")


def stuck():
    raise Stuck


def charge(what, nanoseconds):
    """Counts what a thread sleeps, while something else could go on."""
    work = begun_last()
    if work is None or work.thread is None or not may_others_go_on():
        return
    work.slept += nanoseconds
    if work.slept <= LONGEST_SLEEP:
        return
    if work.daemon:
        output.warn(f"the daemon thread {work.thread.name} was ended: the rest of the script waits for it. {THREADS}")
        raise Ended
    raise refused(f"{what}: the thread {work.thread.name} waits, and so does the rest of the script")


def may_others_go_on():
    """Whether something that has begun could go on, other than the thread that runs."""
    if calls.pending:
        calls.take(0)
    now = loop.time()
    due = any(timer._when <= now and timer._callback is not begin_next for timer in loop._scheduled[:1])
    return due or not is_idle() or any(over() for over in waiters)


def is_idle():
    """Whether nothing is ready in the loop that has begun."""
    return all(handle._callback is begin_next for handle in loop._ready)


def sleep(seconds):
    """`time.sleep`: threads that have not begun begin meanwhile."""
    if not begun and not waiting:
        calls.sleep(seconds)
        return
    if not isinstance(seconds, (int, float)):
        seconds = float(seconds)
    if not seconds > 0:
        calls.sleep(seconds)
        seconds = 0
    end = elapsed() + int(min(seconds, LONGEST) * 1e9)
    if begun_last() is not None:
        while (left := (end - elapsed()) / 1e9) > 0:
            part = min(left, SLEEP_AT_ONCE)
            charge("time.sleep", int(part * 1e9))
            calls.sleep(part)
        return
    waiters.append(lambda: elapsed() >= end)
    try:
        while waiting:
            if (work := next_work()) is not None:
                begin(work)
                continue
            due = ceil(min(work.due for work in waiting) * 1e9)
            if due >= end:
                break
            calls.sleep((max(0, due - elapsed()) + 1000) / 1e9)
    finally:
        waiters.pop()
    calls.sleep(max(0, end - elapsed()) / 1e9)


# Threads.


def start(thread, delay=0):
    """Lets a thread begin when the script waits next."""
    thread._ident = main_ident + next(numbers)
    work = Work(lambda: run(thread))
    work.thread = thread
    work.daemon = thread.daemon
    threading._limbo[thread] = thread
    return put(work, delay)


def run(thread):
    """Runs a thread's function, as its own thread does elsewhere."""
    ident = thread._ident
    threading._limbo.pop(thread, None)
    threading._active[ident] = thread
    # Since CPython 3.14, a thread may be given one.
    context = getattr(thread, "_context", None)
    try:
        (contextvars.Context() if context is None else context).run(thread.run)
    except (Ended, SystemExit) as end:
        if isinstance(end, Ended):
            raise
    except BaseException as error:
        if getattr(error, "is_of_threads", False):
            raise
        failed(thread, error)
    finally:
        threading._active.pop(ident, None)


def failed(thread, error):
    """Tells of the error of a thread."""
    failures.append(error)
    if threading.excepthook is not python_excepthook:
        threading.excepthook(threading.ExceptHookArgs([type(error), error, error.__traceback__, thread]))
    else:
        output.warn(f"the thread {thread.name} failed: {line_of(error)}")


main_ident = threading.get_ident()


def ident():
    """`threading.get_ident`: the number of the thread whose function runs."""
    thread = begun[-1].thread if begun_last() is not None else None
    return main_ident if thread is None else thread._ident


def join(thread, work, timeout):
    """Waits for a thread."""
    if work in begun:
        raise refused(f"threading.Thread.join: the thread {thread.name} goes on only when what it waits for has ended, which is this")
    waited(lambda: work.is_over, timeout, "threading.Thread.join")


def finish():
    """Runs to their ends those that the script's end waits for."""
    while (work := next((work for work in waiting if not work.daemon), None)) is not None:
        waited(lambda: work.is_over, LAST_WAIT if work.due else None, "the script's end")
        if not work.is_over:
            output.warn(f"a timer of {work.thread.interval} s was still set when the script ended: it was dropped")
            drop(work)
    if broken:
        raise broken.pop(0)


def forget():
    """Forgets the threads of a script that has ended."""
    for error in broken:
        output.warn(f"a thread failed: {line_of(error)}")
    threading._limbo.clear()
    asked.clear()
    works.forget()
