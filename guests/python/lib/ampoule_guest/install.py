"""Puts everything in its place, before the snapshot."""

from .own import __builtins__

import builtins
import time

from . import absent, blocks, bridge, calls, executors, files, fresh, loop, missing, modules, output, plain_json, shape, surfaces, tools, unawaited, zones


def install():
    """Changes what Python has into what a script is to find."""
    output.install()
    loop.install()
    files.install()
    modules.install()
    zones.install()
    executors.install()
    bridge.install()
    surfaces.install()
    unawaited.install()
    plain_json.install()
    time.sleep = calls.sleep
    builtins.tools = tools.tools
    builtins.help = tools.show_help
    builtins.ToolError = calls.ToolError
    builtins.image = blocks.image
    builtins.audio = blocks.audio
    builtins.progress = output.progress
    setattr(builtins, shape.IMPORT_ALL, shape.import_all)
    fresh.install()
    absent.install()
    missing.install()
