"""`ThreadPoolExecutor` without threads: what is submitted runs in place, when the script waits."""

from .own import __builtins__

import concurrent.futures
import concurrent.futures.thread
from concurrent.futures import Executor, Future

from . import threads
from .works import Work


class Submitted(Future):
    """What becomes of a function that was submitted. Whoever asks whether it is done waits for its end."""

    def __init__(self, function, left):
        super().__init__()
        # Those of its pool that have not begun.
        self._left = left
        left.add(self)
        self._work = threads.put(Work(function))

    def done(self):
        self._begin()
        return super().done()

    def result(self, timeout=None):
        self._begin()
        return super().result(timeout)

    def exception(self, timeout=None):
        self._begin()
        return super().exception(timeout)

    def _begin(self):
        """Has everything begin up to this."""
        work = self._work
        while not work.is_begun and not work.is_over and (first := threads.next_work()) is not None:
            threads.begin(first)

    def cancel(self):
        is_cancelled = super().cancel()
        if is_cancelled and not self._work.is_over:
            threads.drop(self._work)
            self._left.discard(self)
            self.set_running_or_notify_cancel()
        return is_cancelled


class ThreadPoolExecutor(Executor):
    """Runs what it is given when somebody waits."""

    def __init__(self, max_workers=None, thread_name_prefix="", initializer=None, initargs=()):
        if max_workers is not None and max_workers <= 0:
            raise ValueError("max_workers must be greater than 0")
        self._is_shut = False
        self._left = set()
        if initializer is not None:
            initializer(*initargs)

    def submit(self, fn, /, *args, **named):
        if self._is_shut:
            raise RuntimeError("cannot schedule new futures after shutdown")

        def run():
            self._left.discard(future)
            fill(future, fn, args, named)

        future = Submitted(run, self._left)
        return future

    def shutdown(self, wait=True, *, cancel_futures=False):
        self._is_shut = True
        if cancel_futures:
            for future in [*self._left]:
                future.cancel()
        if wait:
            threads.waited(lambda: not self._left, None, "ThreadPoolExecutor.shutdown")


def fill(future, function, args, named):
    """Runs a function, and tells the future what came of it."""
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(function(*args, **named))
    except Exception as error:
        future.set_exception(error)


def install():
    """Puts it in the place of Python's own, before the snapshot."""
    concurrent.futures.thread.ThreadPoolExecutor = concurrent.futures.ThreadPoolExecutor = ThreadPoolExecutor
