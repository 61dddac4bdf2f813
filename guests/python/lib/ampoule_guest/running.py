"""Which event loop runs, and which task in it: what asyncio looks up where code does not say which it means."""

from .own import __builtins__

import asyncio
import sys
from asyncio import events, tasks

swap_current_task = tasks._swap_current_task if hasattr(tasks, "_swap_current_task") else tasks._py_swap_current_task


def make_running(loop):
    """Makes a loop, or none, the one that runs."""
    events._set_running_loop(loop)
    if loop is None:
        sys.set_asyncgen_hooks(None, None)
    else:
        sys.set_asyncgen_hooks(firstiter=loop._asyncgen_firstiter_hook, finalizer=loop._asyncgen_finalizer_hook)


def switch_to(loop):
    """Makes a loop, or none, the one that runs. Gives what ran before."""
    running = events._get_running_loop()
    task = None if running is None else swap_current_task(running, None)
    if running is not loop:
        make_running(loop)
    return running, task


def switch_back(before):
    """Makes the loop and the task that ran before those that run."""
    running, task = before
    if events._get_running_loop() is not running:
        make_running(running)
    if running is not None:
        swap_current_task(running, task)


def loop_of(handle):
    """The loop that a handle belongs to. A call of a tool has none of its own: a task that awaits one goes on in the task's."""
    owner = getattr(handle._callback, "__self__", None)
    return owner.get_loop() if isinstance(owner, asyncio.Task) else handle._loop


def run_in(loop, handle, running):
    """Runs a handle in its loop, while another one runs."""
    make_running(loop)
    try:
        handle._run()
    finally:
        make_running(running)
