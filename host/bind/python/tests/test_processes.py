"""What becomes of processes: they end with runs under way, fork, and have several interpreters."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

IMPORTS = "import pyampoule, asyncio, os, signal, sys, threading, time\nruntime = pyampoule.Runtime()\n"


def ended(program: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.mark.parametrize(
    "under_way",
    [
        # A script that computes, in a thread that the process does not wait for.
        "threading.Thread(target=lambda: runtime.run('for (;;) {}'), daemon=True).start(); time.sleep(0.3)",
        # One that waits for a tool, which blocks.
        "threading.Thread(target=lambda: runtime.run('await host.f()', tools={'host': [pyampoule.tool(name='f')"
        "(lambda: time.sleep(60))]}), daemon=True).start(); time.sleep(0.3)",
        # One whose async tool waits, called by the loop that nobody has.
        "async def f(): await asyncio.sleep(60)\n"
        "threading.Thread(target=lambda: runtime.run('await host.f()', tools=[f]), daemon=True).start(); time.sleep(0.3)",
        # A loop that ends with runs under way.
        "async def main():\n    [runtime.start('for (;;) {}') for _ in range(10)]\n    await asyncio.sleep(0.1)\n"
        "asyncio.run(main())",
    ],
)
def test_a_process_ends_with_runs_under_way(under_way: str) -> None:
    began = time.monotonic()
    process = ended(IMPORTS + under_way + "\nprint('last')")
    assert (process.returncode, process.stdout) == (0, "last\n"), process.stderr
    assert "Fatal" not in process.stderr and "panicked" not in process.stderr, process.stderr
    assert time.monotonic() - began < 30


def test_ctrl_c_ends_a_run() -> None:
    program = (
        IMPORTS + "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    runtime.run('for (;;) {}')\nexcept KeyboardInterrupt:\n    print('interrupted')\n"
        "print(runtime.run('return 7').result())"
    )
    process = ended(program)
    assert (process.returncode, process.stdout) == (0, "interrupted\n7\n"), process.stderr
    assert signal.SIGINT


def test_a_fork_says_what_it_lacks() -> None:
    program = IMPORTS + (
        "runtime.run('return 1')\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    for use in (lambda: runtime.run('return 1'), pyampoule.Runtime):\n"
        "        try:\n            use()\n        except pyampoule.ClosedError as error:\n            print(error, flush=True)\n"
        "    sys.exit(0)\n"
        "_, status = os.waitpid(child, 0)\n"
        "print(status, runtime.run('return 2').result())"
    )
    process = ended(program)
    said = "this process was forked from one with an Ampoule runtime"
    assert process.stdout.count(said) == 2 and process.stdout.endswith("\n0 2\n"), process


def test_a_fork_may_come_first() -> None:
    program = (
        "import pyampoule, os, sys\n"
        "child = os.fork()\n"
        "assert pyampoule.Runtime().run('return 1').result() == 1\n"
        "if child:\n    sys.exit(os.waitpid(child, 0)[1])\n"
    )
    process = ended(program)
    assert process.returncode == 0, process.stderr


def test_processes_that_are_spawned_have_their_own(tmp_path: Path) -> None:
    program = (
        "import pyampoule, multiprocessing\n"
        "def run(n):\n    return pyampoule.Runtime().run(f'return {n} + 1').result()\n"
        "if __name__ == '__main__':\n"
        "    pyampoule.Runtime().run('return 1')\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n        print(pool.map(run, [1, 2, 3]))\n"
    )
    # What is spawned reads the program again: it must be a file.
    path = tmp_path / "spawns.py"
    path.write_text(program)
    process = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=60, check=False)
    assert process.stdout == "[2, 3, 4]\n", process.stderr


@pytest.mark.skipif(sys.version_info < (3, 12), reason="there is no module for it before")
def test_another_interpreter_is_refused_in_a_sentence() -> None:
    program = (
        "import _xxsubinterpreters as interpreters\n"
        if sys.version_info < (3, 13)
        else "import _interpreters as interpreters\n"
    ) + (
        "import pyampoule\n"
        "interpreter = interpreters.create()\n"
        "code = 'try:\\n    import pyampoule\\nexcept ImportError as error:\\n    print(error, flush=True)'\n"
        "interpreters.run_string(interpreter, code)\n"
        "print(pyampoule.Runtime().run('return 1').result())"
    )
    process = ended(program)
    assert "interpreters" in process.stdout and process.stdout.endswith("\n1\n"), process
