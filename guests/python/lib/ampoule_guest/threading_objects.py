"""What `threading` and `queue` have, on functions that run in place: threads, timers, locks and conditions, on which events, queues, semaphores and
barriers stand."""

from .own import __builtins__

import _thread
import queue
import threading

from . import threads
from .threads import drop, next_work, waited

python_is_alive = threading.Thread.is_alive
python_timer_run = threading.Timer.run


def start(thread):
    """`threading.Thread.start`"""
    if not thread._initialized:
        raise RuntimeError("thread.__init__() not called")
    if thread._started.is_set():
        raise RuntimeError("threads can only be started once")
    # A timer does not wait in place, so that what comes behind it in the script can cancel it.
    waits = isinstance(thread, threading.Timer) and type(thread).run is run_timer
    thread._work = threads.start(thread, thread.interval if waits else 0)
    thread._started.set()


def join(thread, timeout=None):
    """`threading.Thread.join`"""
    if not thread._initialized:
        raise RuntimeError("Thread.__init__() not called")
    if not thread._started.is_set():
        raise RuntimeError("cannot join thread before it is started")
    if thread is threading.current_thread():
        raise RuntimeError("cannot join current thread")
    if (work := work_of(thread)) is not None:
        threads.join(thread, work, timeout)


def is_alive(thread):
    """`threading.Thread.is_alive`: whoever asks again waits for its end."""
    work = work_of(thread)
    if work is None:
        return python_is_alive(thread)
    if not work.is_begun and not work.is_over:
        if thread._is_asked:
            while not work.is_begun and (first := next_work()) is not None:
                threads.begin(first)
        thread._is_asked = True
    return not work.is_over


def work_of(thread):
    return getattr(thread, "_work", None)


def describe(thread):
    """`repr(thread)`"""
    work = work_of(thread)
    state = "stopped" if work and work.is_over else "started" if thread._started.is_set() else "initial"
    parts = [state, *(["daemon"] if thread._daemonic else []), *([str(thread._ident)] if thread._ident is not None else [])]
    return f"<{type(thread).__name__}({thread._name}, {' '.join(parts)})>"


def run_timer(timer):
    """`threading.Timer.run`: it is due."""
    if not timer.finished.is_set():
        timer.function(*timer.args, **timer.kwargs)
    timer.finished.set()


def cancel_timer(timer):
    """`threading.Timer.cancel`"""
    timer.finished.set()
    if (work := work_of(timer)) is not None:
        drop(work)


class Lock:
    """`threading.Lock`: one that is held is waited for as everything is."""

    __slots__ = ("_is_held", "__weakref__")

    def __init__(self):
        self._is_held = False

    def acquire(self, blocking=True, timeout=-1):
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if self._is_held:
            if not blocking or not waited(self._is_free, None if timeout == -1 else timeout, "threading.Lock.acquire"):
                return False
        self._is_held = True
        return True

    __enter__ = acquire

    def release(self):
        if not self._is_held:
            raise RuntimeError("release unlocked lock")
        self._is_held = False

    def __exit__(self, *error):
        self.release()

    def locked(self):
        return self._is_held

    def _is_free(self):
        return not self._is_held

    def _at_fork_reinit(self):
        self._is_held = False

    def __repr__(self):
        return f"<{'locked' if self._is_held else 'unlocked'} lock at {id(self):#x}>"


def wait(condition, timeout=None):
    """`threading.Condition.wait`"""
    if not condition._is_owned():
        raise RuntimeError("cannot wait on un-acquired lock")
    waiter = Lock()
    waiter.acquire()
    condition._waiters.append(waiter)
    saved = condition._release_save()
    is_told = False
    try:
        is_told = waited(waiter._is_free, timeout, "threading.Condition.wait")
        return is_told
    finally:
        condition._acquire_restore(saved)
        if not is_told and waiter in condition._waiters:
            condition._waiters.remove(waiter)


def install():
    """Puts these in the place of Python's own, before the snapshot."""
    thread, timer = threading.Thread, threading.Timer
    thread.start, thread.join, thread.is_alive, thread.__repr__ = start, join, is_alive, describe
    thread._is_asked = False
    timer.run, timer.cancel = run_timer, cancel_timer
    # CPython's lock ends the run where it is held already.
    threading.Lock = _thread.allocate_lock = _thread.allocate = Lock
    threading.Condition.wait = wait
    threading.get_ident = threads.ident
    # CPython's waits in C.
    queue.SimpleQueue = queue._PySimpleQueue
