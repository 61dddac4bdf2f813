"""The side of a peer that is written in Python: lines of JSON from `cargo xtask compare` on standard input, an answer to each on standard output.
`../../src/protocol.rs` says what is in them.

A peer gives `drive` a function that makes a sandbox, runs a script in it and drops it. What it takes is measured here, the same way for all."""

import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

# What a peer prints itself is not taken for an answer.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


class Tools:
    """What scripts call: functions of the host that answer at once, one that answers only when released, and one of a real MCP server."""

    def __init__(self):
        self.kept, self.server, self.starting = {}, None, threading.Lock()
        self.holding = threading.Semaphore(0)
        self.opened = threading.Event()

    def rows(self, count):
        return json.loads(self.text_of(f"rows-{count}.json"))

    def text(self):
        return json.loads(self.text_of("text.json"))

    def echo(self, n):
        return {"n": n}

    def hold(self):
        self.holding.release()
        self.opened.wait()
        return {"held": True}

    def add(self, a, b):
        with self.starting:
            self.server = self.server or Server()
        return self.server.call("get-sum", {"a": a, "b": b})

    def text_of(self, name):
        if name not in self.kept:
            with open(os.path.join(os.environ["COMPARE_DATA"], name)) as file:
                self.kept[name] = file.read()
        return self.kept[name]


class Server:
    """A client of an MCP server over standard input and output, as lean as can be."""

    def __init__(self):
        command = json.loads(os.environ["COMPARE_MCP"])
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.last, self.writing, self.waiting = 0, threading.Lock(), {}
        threading.Thread(target=self.read, daemon=True).start()
        info = {"name": "compare", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
        self.write({"method": "notifications/initialized"})

    def write(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def read(self):
        for line in self.process.stdout:
            message = json.loads(line)
            if "method" not in message:
                done, answer = self.waiting.pop(message["id"])
                answer.append(message)
                done.set()

    def ask(self, method, params):
        done, answer = threading.Event(), []
        with self.writing:
            self.last += 1
            self.waiting[self.last] = done, answer
            self.write({"id": self.last, "method": method, "params": params})
        done.wait()
        return answer[0]["result"]

    def call(self, name, arguments):
        return self.ask("tools/call", {"name": name, "arguments": arguments})["content"][0]["text"]


def drive(version, run):
    """Answers requests until there are no more. `run(script, tools, limits)` gives a value and what was printed."""
    tools = Tools()

    def say(answer):
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    def timed(script, limits):
        began = time.perf_counter_ns()
        try:
            value, output = run(script, tools, limits)
            ended = {"value": value, "output": output}
        except BaseException as error:
            ended = {"error": f"{type(error).__name__}: {error}"}
        return {"ns": time.perf_counter_ns() - began, **ended}

    held = []

    def run_all(scripts, plan, budget_ms, limits):
        runs, began = [], time.perf_counter()
        for which in plan:
            runs.append(timed(scripts[which], limits))
            if (time.perf_counter() - began) * 1000 > budget_ms:
                break
        return {"runs": runs}

    def together(script, count, limits):
        began = time.perf_counter_ns()
        tools.opened.clear()
        threads = ThreadPoolExecutor(count)
        held[:] = [threads.submit(timed, script, limits) for _ in range(count)]
        for _ in range(count):
            while not tools.holding.acquire(timeout=0.2):
                early = [run.result() for run in held if run.done()]
                if early:
                    tools.opened.set()
                    return {"cannot": early[0].get("error", "one ended early")}
        return {"alive": {"ns": time.perf_counter_ns() - began}}

    def release():
        tools.opened.set()
        return {"runs": [run.result() for run in held]}

    def throughput(script, window_ms, workers, limits):
        began, count = time.perf_counter_ns(), 0
        while (passed := time.perf_counter_ns() - began) < window_ms * 1_000_000:
            ran = timed(script, limits)
            if "error" in ran:
                return {"cannot": ran["error"]}
            count += 1
        return {"count": {"count": count, "ns": passed}}

    answer_to = {"run": run_all, "together": together, "release": release, "throughput": throughput}
    say({"ready": {"version": version}})
    for line in sys.stdin:
        request = json.loads(line)
        try:
            say(answer_to[request.pop("op")](**request))
        except BaseException as error:
            say({"cannot": f"{type(error).__name__}: {error}"})
    os._exit(0)
