"""Runs one script in this process, as a process that is started for each run does. The host is at the other end of standard input and output."""

import json
import sys

host_in, host_out = sys.stdin.buffer, sys.stdout.buffer


def limit(mebibytes):
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20,) * 2)


def say(message):
    host_out.write(json.dumps(message).encode() + b"\n")
    host_out.flush()


class Host:
    """Functions of the host, called one after the other."""

    def __getattr__(self, name):
        def call(**arguments):
            say({"call": {"id": 0, "name": name, "arguments": arguments}})
            return json.loads(host_in.readline())["answer"]

        return call


class HostAtOnce:
    """The same at once: a thread reads the answers."""

    def __init__(self, loop):
        import threading

        self.loop, self.waiting = loop, {}
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in host_in:
            self.loop.call_soon_threadsafe(self.answered, json.loads(line))

    def answered(self, message):
        self.waiting.pop(message["id"]).set_result(message["answer"])

    def __getattr__(self, name):
        def call(**arguments):
            future = self.loop.create_future()
            number = len(self.waiting)
            self.waiting[number] = future
            say({"call": {"id": number, "name": name, "arguments": arguments}})
            return future

        return call


def at_once(code, names):
    import ast
    import asyncio

    async def main():
        names["host"] = HostAtOnce(asyncio.get_running_loop())
        await eval(compile(code, "script", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)

    asyncio.run(main())


def run(code, needs):
    names, printed = {"host": Host()}, None
    if needs == "console":
        import io

        printed = sys.stdout = io.StringIO()
    if needs == "calls-at-once":
        at_once(code, names)
    else:
        exec(compile(code, "script", "exec"), names)
    return {"ended": {"value": names["result"], "output": printed and printed.getvalue().rstrip()}}


if len(sys.argv) > 1:
    limit(int(sys.argv[1]))
first = json.loads(host_in.readline())
try:
    answer = run(first["code"], first["needs"])
except BaseException as error:
    answer = {"failed": f"{type(error).__name__}: {error}"}
say(answer)
host_out.flush()
