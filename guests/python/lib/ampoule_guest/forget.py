"""Takes back what a script leaves behind. Scripts that run before the snapshot, to warm the interpreter up, must leave nothing of the tools
that they had, nor of themselves: numbers of tools are those of one run."""

from .own import __builtins__

import atexit
import gc
import linecache
import sys

from . import calls, files, missed, missing, modules, output, places, runners, threads, tool, tools
from .loop import loop
from .values import Object


def forget(modules_before):
    """Makes everything as it was before any script. `modules_before` are the names of the modules that there were."""
    output.finish()
    threads.forget()
    runners.forget()
    loop.cancel_left()
    for name in set(sys.modules) - set(modules_before):
        del sys.modules[name]
    for name in list(modules.sources.files):
        sys.modules.pop(name, None)
    if modules.sources in sys.meta_path:
        sys.meta_path.remove(modules.sources)
    modules.set_env(Object())
    kept = (
        calls.pending, calls.failed, calls.unheard, calls.heard, files.contents, modules.sources.files, modules.sources.packages, places.sources, places.split,
        tool.known_tools, tools.known_servers, vars(tools.tools), loop._made, loop._ready, loop._scheduled, missing.own_names,
        output.said_of_sources, linecache.cache,
    )
    for held in kept:
        held.clear()
    missed.forget()
    loop._timer_cancelled_count = 0
    output.stdout._used = False
    sys.modules.pop("__main__", None)
    atexit._clear()
    gc.collect()
