"""Imports the guest, and runs each program that it reads in a child of its own. Programs and outcomes are lines of JSON."""

import builtins

# What programs do to Python's own functions is not to reach these.
__builtins__ = dict(builtins.__dict__)

import faulthandler
import json
import marshal
import os
import sys

tests, library = sys.argv[1:]
sys.path[:0] = [tests, library]

# The guest takes these away.
fork, pipe, read, write, close, waitpid, leave = os.fork, os.pipe, os.read, os.write, os.close, os.waitpid, os._exit
stdin = sys.stdin
out = sys.stdout.fileno()

import _ampoule
import ampoule_guest
from ampoule_guest.loop import in_place


def outcome(program):
    """Runs in the child."""
    modules = [(name, kind, bytes(content) if kind == "bytes" else content) for name, kind, content in program["modules"]]
    ended = in_place(ampoule_guest.run(program["name"], program["source"], modules, program["env"], 0, program["strings"]))
    return {"ended": ended, "output": _ampoule.output, "log": _ampoule.log, "elapsed": _ampoule.clock}


dumps, loads = json.dumps, json.loads
pack, unpack = marshal.dumps, marshal.loads


def child(program, to):
    text = pack(outcome(program))
    while text:
        text = text[write(to, text):]
    leave(0)


for line in stdin:
    program = loads(line)
    source, to = pipe()
    process = fork()
    if process == 0:
        close(source)
        try:
            child(program, to)
        finally:
            faulthandler.dump_traceback()
            leave(1)
    close(to)
    answer = b""
    while part := read(source, 1 << 16):
        answer += part
    close(source)
    _, status = waitpid(process, 0)
    ended = {"ended": ["crashed", status]} if status else unpack(answer)
    write(out, dumps(ended).encode() + b"\n")
