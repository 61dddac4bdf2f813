"""Puts everything in its place, before the snapshot."""

from .own import __builtins__

import builtins
import gc
import time

from . import (
    absent, blocks, bridge, calls, emitted, executors, files, fresh, loop_refused, missing, modules, output, passwords, plain_json, runners, shape, surfaces, threading_objects,
    threads, tool, tools, unawaited, zones,
)

# After how many new containers unused ones that refer to each other are looked for. Each search looks through more than those, and CPython's
# own 2,000 have a script that makes many and keeps them spend half of its time on it; so many take some megabytes.
COLLECTED_AFTER = 20_000


def install():
    """Changes what Python has into what a script is to find."""
    output.install()
    runners.install()
    loop_refused.install()
    files.install()
    modules.install()
    zones.install()
    threading_objects.install()
    executors.install()
    bridge.install()
    surfaces.install()
    unawaited.install()
    passwords.install()
    plain_json.install()
    gc.set_threshold(COLLECTED_AFTER)
    time.sleep = threads.sleep
    builtins.tools = tools.tools
    builtins.help = tools.show_help
    builtins.ToolError = calls.ToolError
    builtins.image = blocks.image
    builtins.audio = blocks.audio
    builtins.progress = output.progress
    builtins.emit = emitted.emit
    builtins.whole = tool.whole
    setattr(builtins, shape.IMPORT_ALL, shape.import_all)
    fresh.install()
    absent.install()
    missing.install()
