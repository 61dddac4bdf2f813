"""What has a thread of its own elsewhere: functions that wait for their turn, those that run, and what waits for them. There are no threads: each runs
in place, from its start to its end, on top of what waits at that moment."""

from .own import __builtins__

from collections import deque

# Something, if there was a work at all.
used = []

# Those that have not begun, in the order in which they are to.
waiting = deque()

# Those that have begun, each on top of the one before; None where the loop runs on top of one.
begun = []

# What tells whether something that waits could go on, each on top of the one before.
waiters = []

# Errors that say that there are no threads, of works that nobody has asked about.
broken = []

# The errors of threads that failed, which probably say why something waits in vain.
failures = []


class Ended(BaseException):
    """Ends the function of a thread that would stay where it is until the script's end."""


class Work:
    """A function that has a thread of its own elsewhere."""

    # The thread, if it is one; and whether the script's end waits for it.
    thread = None
    daemon = False

    # When it is due, as the loop's time.
    due = 0

    # What has the loop begin it when it is due.
    handle = None

    # What it runs for ever, if it was ended for that.
    left_to = None

    def __init__(self, function):
        self.function = function
        self.is_begun = False
        self._is_over = False
        # How many nanoseconds it slept, while the rest of the script had to wait.
        self.slept = 0

    @property
    def is_over(self):
        """Whether its thread would have ended."""
        return self._is_over and (self.left_to is None or self.left_to._stopping)

    def end(self):
        """Notes that it has ended, or is never to begin."""
        self._is_over = True


def begun_last():
    """What runs, if it has a thread of its own elsewhere."""
    return begun[-1] if begun else None


def is_in_daemon():
    """Whether what runs is a thread that the script's end would not wait for."""
    return begun_last() is not None and begun[-1].daemon


def may_go_on_below():
    """Whether something could go on that waits below what waits last."""
    return any(over() for over in waiters[:-1])


def until(over):
    """What tells whether a loop that is run to some end has come to it, or is to be left: by a daemon thread, where what waits below it could go on."""
    return (lambda: over() or may_go_on_below()) if is_in_daemon() else over


def leave_to(loop):
    """Ends the thread that was to run a loop for ever: whatever waits next runs what is in there."""
    if begun_last() is not None and begun[-1].thread is not None:
        begun[-1].left_to = loop
        loop._is_left = True
        raise Ended


def forget():
    """Forgets those that have not begun."""
    for held in used, waiting, begun, waiters, broken, failures:
        held.clear()
