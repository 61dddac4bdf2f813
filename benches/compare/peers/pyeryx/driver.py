"""pyeryx: CPython compiled to WebAssembly, in Wasmtime, by Python's bindings. Callbacks are awaited."""

import asyncio
import importlib.metadata
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "shared"))

import eryx
from driver import drive

NAMES = ["rows", "text", "echo", "hold", "add"]


def adapted(script):
    code = script["code"]
    if script["needs"] == "calls":
        code = code.replace("= host.", "= await host.")
    return code.replace("host.", "")


def callbacks(tools):
    def callback(name):
        call = getattr(tools, name)

        async def quick(**arguments):
            return call(**arguments)

        async def slow(**arguments):
            return await asyncio.to_thread(call, **arguments)

        return {"name": name, "fn": slow if name in ("hold", "add") else quick, "description": name}

    return [callback(name) for name in NAMES]


def text_of(printed):
    return (printed.decode() if isinstance(printed, bytes) else printed).rstrip()


def run(script, tools, limits):
    calls = script["needs"] in ("calls", "calls-at-once")
    sandbox = eryx.Sandbox(
        resource_limits=eryx.ResourceLimits(
            execution_timeout_ms=limits["ms"],
            callback_timeout_ms=limits["ms"],
            max_memory_bytes=limits["mb"] << 20,
            max_callback_invocations=10_000,
        ),
        callbacks=callbacks(tools) if calls else None,
    )
    ran = sandbox.execute(adapted(script))
    if ran.result_error:
        raise RuntimeError(ran.result_error)
    return ran.result, text_of(ran.stdout) or None


drive(f"pyeryx {importlib.metadata.version('pyeryx')}", run)
