"""A runtime, usually one in a process, and its runs."""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import functools
import json
import os
import weakref
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from types import TracebackType
from typing import Any, Union

from . import _ampoule, _events, _layers, _loops, _outcome, _tools
from ._kept import ParkedRun
from ._limits import AnyLimits, Time, _limits, _time
from ._outcome import Outcome
from ._program import Check, Program, _env, _given, _grant, _strings

Path = Union[str, "os.PathLike[str]"]


class Runtime:
    """What a process has once: isolates, servers, and the threads that they run on. It is a context manager, and is
    closed when Python ends."""

    def __init__(
        self,
        *,
        config: Path | None = None,
        servers: Mapping[str, Any] | None = None,
        limits: AnyLimits | None = None,
        ceilings: AnyLimits | None = None,
        isolates: int | None = None,
        slot_wait: Time | None = None,
        code_cache: Path | None = None,
        sessions: Path | None = None,
        workspaces: Path | None = None,
        folders: Mapping[str, Path] | None = None,
        writable_folders: Mapping[str, Path] | None = None,
        skills: Path | None = None,
        records: Path | None = None,
        parked: Path | None = None,
        layers: Sequence[_layers.Layer] = (),
    ):
        """Makes a runtime. By default, it stores nothing and has no servers.

        - `config`: an `ampoule.toml`, with all that it configures; the other options take precedence
        - `servers`: MCP servers as clients write them, by name: `{"github": {"command": "npx", "args": [...]}}`, or a
          whole document with `mcpServers`
        - `limits`: the default limits of a run; `ceilings`: what no run may exceed
        - `isolates`: how many may be alive at once, default 1,000; `slot_wait`: how long a run may wait for its place among
          them, seconds, a `timedelta`, or a text such as `"500ms"`, default 10 s
        - `sessions`, `workspaces`, `skills`, `records`, `parked`, `code_cache`: the folders in which these are kept
        - `folders`, `writable_folders`: folders that runs see as `/folders/NAME`
        - `layers`: what all runs' calls pass, the outermost first: `layer(call, next)`
        """
        self._layers = _layers.checked(layers)
        given: dict[str, Any] = {
            "config": _path(config),
            "servers": servers,
            "limits": None if limits is None else json.loads(_limits(limits)),
            "ceilings": None if ceilings is None else json.loads(_limits(ceilings)),
            "isolates": isolates,
            "slotWait": None if slot_wait is None else _time(slot_wait),
            "codeCache": _path(code_cache),
            "sessions": _path(sessions),
            "workspaces": _path(workspaces),
            "folders": {
                name: {"path": _path(path), "writable": writable}
                for given, writable in ((folders, False), (writable_folders, True))
                for name, path in (given or {}).items()
            },
            "skills": _path(skills),
            "records": _path(records),
            "parked": _path(parked),
        }
        said = {key: value for key, value in given.items() if value is not None}
        self._runtime = _ampoule.Runtime(json.dumps(said))
        _open.add(self)

    def run(
        self,
        code: Program,
        *,
        language: str | None = None,
        tools: _tools.Tools = (),
        grant: str | Sequence[str] | None = None,
        limits: AnyLimits | None = None,
        env: Mapping[str, Any] | None = None,
        strings: Mapping[str, str] | None = None,
        session: str | None = None,
        keep_always: bool = False,
        principal: str | None = None,
        groups: Sequence[str] = (),
        record: bool = False,
        name: str | None = None,
        layers: Sequence[_layers.Layer] = (),
        check: Check = "first",
        park_after: Time | None = None,
        label: str | None = None,
        keep_outcome: bool = False,
    ) -> Outcome:
        """Runs a script, one call, an undo, or the rest of a parked run, to its end, on this thread, and gives its outcome.

        - `language`: `typescript`, `javascript` or `python`; default: guessed from the code
        - `tools`: functions that it may call, as `host.NAME`; or by the names of their servers
        - `grant`: what it may call of the runtime's servers, such as `"github.get_*, time"`; default: nothing
        - `limits`: its limits, if they differ from the runtime's
        - `env`: values of the script's global `env`: what JSON is made of
        - `strings`: texts of the script's global `strings`, which are hard to quote in code
        - `session`: the session of the run; `keep_always`: saved even if the run throws
        - `principal`: the principal of the run; `groups`: the groups of the principal, for policies
        - `record`: whether it writes a record; `name`: the script's name in messages
        - `layers`: what its calls pass, the outermost first, inside of what the runtime has
        - `check`: whether its calls are compared with the tools before anything runs: `first`, `off`, or `alone`, where it
          does not run
        - `park_after`: after how long the script is parked where it waits; default: never; `label`: what you call the run in the
          list of parked runs
        - `keep_outcome`: of a run that resumes: the list of parked runs has the outcome for a week, or until you remove it

        Async tools and layers are called by an event loop in a thread of its own. In a coroutine, use `run_async`.
        """
        texts = _env(env), _strings(strings)
        given = _given(code, language, name, grant, limits, texts, session, keep_always, principal, groups, record, (check, park_after, label, keep_outcome))
        called = self._called(tools, layers)
        mailbox = _loops.own_mailbox() if _has_async(*called) else None
        document = self._runtime.run(given, called, contextvars.copy_context(), mailbox)
        return _outcome.read(document)

    async def run_async(self, code: Program, **options: Any) -> Outcome:
        """The same in a coroutine, with the same options. Cancelling it cancels the run, its calls too. Async tools
        and layers are called by the loop that runs; others by threads, but for tools that are quick."""
        return await self.start(code, **options)

    def start(
        self,
        code: Program,
        *,
        language: str | None = None,
        tools: _tools.Tools = (),
        grant: str | Sequence[str] | None = None,
        limits: AnyLimits | None = None,
        env: Mapping[str, Any] | None = None,
        strings: Mapping[str, str] | None = None,
        session: str | None = None,
        keep_always: bool = False,
        principal: str | None = None,
        groups: Sequence[str] = (),
        record: bool = False,
        name: str | None = None,
        layers: Sequence[_layers.Layer] = (),
        check: Check = "first",
        park_after: Time | None = None,
        label: str | None = None,
        keep_outcome: bool = False,
    ) -> Run:
        """Starts a script, one call, an undo, or the rest of a parked run, in a coroutine, with the options of `run`, and gives a handle to it."""
        loop = asyncio.get_running_loop()
        texts = _env(env), _strings(strings)
        given = _given(code, language, name, grant, limits, texts, session, keep_always, principal, groups, record, (check, park_after, label, keep_outcome))
        called = self._called(tools, layers)
        mailbox = _loops.mailbox_of(loop)
        ended: asyncio.Future[str] = loop.create_future()
        told = (mailbox, functools.partial(_loops.settle, ended))
        run = Run(self._runtime.start(given, called, contextvars.copy_context(), told), mailbox, ended)
        # Its first step may be done.
        loop.call_soon(_loops.stepped, mailbox)
        return run

    def declarations(
        self,
        tools: _tools.Tools = (),
        *,
        language: str = "typescript",
        grant: str | Sequence[str] | None = None,
        principal: str | None = None,
        groups: Sequence[str] = (),
    ) -> str:
        """Declarations of these tools, and of what `grant` allows of the runtime's servers, in a language of scripts: for
        the description of a tool that runs them. What policies never let the `principal` call, in these `groups`, is not
        there. May wait for servers to start."""
        return self._runtime.declarations(language, (_grant(grant), principal, groups), _tools.of_run(tools))

    @property
    def parks(self) -> bool:
        """Whether runs can be parked: there is a folder for them."""
        return self._runtime.parks

    def parked(self, principal: str | None = None) -> list[ParkedRun]:
        """The runs that are parked, or whose outcome is kept, of a principal, or of no principal. Those that are older than a
        week are removed."""
        return [ParkedRun._read(each) for each in json.loads(self._runtime.parked(principal))]

    def remove_parked(self, run: str, principal: str | None = None) -> None:
        """Removes a parked run of a principal, or of no principal: nobody resumes it any more."""
        self._runtime.remove_parked(run, principal)

    def _called(self, tools: _tools.Tools, layers: Sequence[_layers.Layer]) -> _ampoule.Called:
        around = self._layers if not layers else self._layers + _layers.checked(layers)
        return _tools.of_run(tools), _layers.of_run(around) if around else []

    def close(self) -> None:
        """Ends all runs, and releases servers and threads."""
        self._runtime.close()

    def __enter__(self) -> Runtime:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class Run:
    """An active run. Awaiting it gives its outcome."""

    def __init__(self, run: _ampoule.Run, mailbox: _ampoule.Mailbox, ended: asyncio.Future[str]):
        self._run = run
        self._mailbox = mailbox
        self._ended = ended

    @property
    def id(self) -> str:
        """The run's id, unique among all runs."""
        return self._run.id

    def cancel(self) -> None:
        """Cancels it: its outcome is `Cancelled`, with its output and usage so far."""
        self._run.cancel()

    def __await__(self) -> Generator[Any, None, Outcome]:
        return self.outcome().__await__()

    async def outcome(self) -> Outcome:
        """Waits until it is over. Cancelling the waiting task cancels the run."""
        try:
            document = await asyncio.shield(self._ended)
        except asyncio.CancelledError:
            self._run.cancel()
            raise
        return _outcome.read(document)

    async def events(self) -> AsyncIterator[_events.Event]:
        """The events of the run, from its start, as they happen; ends with the run. Each iterator has its own pace, and
        the run waits for none: an iterator more than a thousand events behind misses the oldest."""
        events, loop = self._run.events(), asyncio.get_running_loop()
        while True:
            next: asyncio.Future[list[str]] = loop.create_future()
            events.next_then(self._mailbox, functools.partial(_loops.settle, next))
            documents = await next
            if not documents:
                return
            for document in documents:
                yield _events.read(document)


def _has_async(offered: list[_tools.OfServer], layers: list[_layers.Row]) -> bool:
    return any(tools.has_async for tools, _ in offered) or any(is_async for is_async, _ in layers)


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


_open: weakref.WeakSet[Runtime] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Ends active runs before Python shuts down."""
    for runtime in list(_open):
        runtime.close()
    _loops.stop_own()
