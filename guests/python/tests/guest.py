"""Runs programs in fresh guests: each in a child of a process that has imported the guest, as an isolate is one of a snapshot.

`python3 -m unittest` in this folder runs all tests, natively, with CPython 3.13 or later."""

import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

TESTS = Path(__file__).parent
LIBRARY = TESTS.parent / "lib"


@dataclass
class Outcome:
    """What became of a program."""

    ended: list
    output: list = field(default_factory=list)
    log: list = field(default_factory=list)
    elapsed: int = 0

    @property
    def value(self):
        """What it returned; a program that threw fails the test."""
        assert self.ended[0] == "ok", self.ended
        return None if self.ended[1] is None else json.loads(self.ended[1])

    @property
    def name(self):
        return self._thrown[1]

    @property
    def message(self):
        return self._thrown[2]

    @property
    def location(self):
        return self._thrown[3]

    @property
    def stack(self):
        return self._thrown[4]

    @property
    def causes(self):
        return self._thrown[5]

    @property
    def _thrown(self):
        assert self.ended[0] == "thrown", self.ended
        return self.ended

    def lines(self, *levels):
        """The texts that were written, or those of some levels."""
        return [text for level, text in self.output if not levels or level in levels]

    @property
    def started(self):
        """The calls that were started."""
        return [line.removeprefix("start ") for line in self.log if line.startswith("start ")]


class Zygote:
    """A process with the guest, which forks for each program."""

    def __init__(self):
        command = [sys.executable, "-I", "-X", "utf8", str(TESTS / "zygote.py"), str(TESTS), str(LIBRARY)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def run(self, program):
        self.process.stdin.write(json.dumps(program) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, "the guest is gone"
        return Outcome(**json.loads(line))


_zygote = None


def run(source, name="main.py", modules=(), env="", strings=""):
    """Runs a program."""
    global _zygote
    if _zygote is None:
        _zygote = Zygote()
    return _zygote.run({"name": name, "source": source, "modules": list(modules), "env": env, "strings": strings})
