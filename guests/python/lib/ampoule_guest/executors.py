"""`ThreadPoolExecutor` without threads: what is submitted runs in place, and is done then."""

from .own import __builtins__

import concurrent.futures
import concurrent.futures.thread
from concurrent.futures import Executor, Future


class ThreadPoolExecutor(Executor):
    """Runs what it is given when it is given it."""

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._is_shut = False
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn, /, *args, **named):
        if self._is_shut:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **named))
        except Exception as error:
            future.set_exception(error)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_shut = True


def install():
    """Puts it in the place of Python's own, before the snapshot."""
    concurrent.futures.thread.ThreadPoolExecutor = concurrent.futures.ThreadPoolExecutor = ThreadPoolExecutor
