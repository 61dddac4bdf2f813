"""Monty: an interpreter of a subset of Python, in worker processes. `session`: a new session in a worker that is kept; `process`: a new worker for
each run. Calls one after the other are answered by functions, those at once as futures."""

import asyncio
import importlib.metadata
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "shared"))

import pydantic_monty as monty
from driver import drive

NAMES = ["rows", "text", "echo", "hold", "add"]
# A worker is a process: as many as may be alive together.
MOST = 600
OPTIONS = {"min_processes": 1, "max_processes": MOST}
if sys.argv[1] == "process":
    OPTIONS["max_checkouts_per_worker"] = 1


def limits_of(limits):
    return {
        "max_feed_duration_secs": limits["ms"] / 1000,
        "max_memory": limits["mb"] << 20,
        "max_suspensions": 10_000,
    }


def flat(script):
    # Host functions are plain names there.
    return script["code"].replace("host.", "")


def run(script, tools, limits):
    if script["needs"] == "calls-at-once":
        return loop.run_until_complete(at_once(script, tools, limits)), None
    printed = monty.CollectString() if script["needs"] == "console" else None
    calls = {name: getattr(tools, name) for name in NAMES} if script["needs"] == "calls" else None
    with pool.checkout(limits=limits_of(limits)) as session:
        value = session.feed_run(flat(script), external_lookup=calls, print_callback=printed)
    return value, printed and printed.output.rstrip()


async def at_once(script, tools, limits):
    global later
    if later is None:
        later = await monty.AsyncMonty(**OPTIONS).__aenter__()

    def asynchronous(name):
        call = getattr(tools, name)
        if name != "add":

            async def answer(**arguments):
                return call(**arguments)
        else:

            async def answer(**arguments):
                return await asyncio.to_thread(call, **arguments)

        return answer

    calls = {name: asynchronous(name) for name in NAMES}
    async with later.checkout(limits=limits_of(limits)) as session:
        return await session.feed_run(flat(script), external_lookup=calls)


loop, later = asyncio.new_event_loop(), None
with monty.Monty(**OPTIONS) as pool:
    drive(f"pydantic-monty {importlib.metadata.version('pydantic-monty')}", run)
