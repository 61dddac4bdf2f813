"""A runtime, usually one in a process, and its runs."""

from __future__ import annotations

import asyncio
import atexit
import contextvars
import datetime
import functools
import json
import os
import weakref
from collections.abc import AsyncIterator, Generator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from types import TracebackType
from typing import Any, Literal, Union

from . import _ampoule, _events, _layers, _loops, _outcome, _tools
from ._errors import UsageError
from ._outcome import Outcome, Parked, Usage, WaitingCall

Path = Union[str, "os.PathLike[str]"]
Size = Union[int, str]
Time = Union[float, int, str, datetime.timedelta]
Check = Literal["first", "off", "alone"]


@dataclass(frozen=True)
class Limits:
    """What a run may use. A limit that is left out is as the runtime has it. Sizes are bytes, or a text such as
    `"64 MiB"`; times are seconds, a `timedelta`, or a text such as `"500ms"`. The defaults of a runtime:

    - `fuel`: 20 billion
    - `wall_time`: 60 s
    - `memory`: 128 MiB
    - `table_elements`: 100,000
    - `stack`: 256 KiB
    - `host_bytes`: 64 MiB
    - `output_bytes`: 1 MiB
    - `calls`: 10,000
    - `calls_at_once`: 32
    - `argument_bytes`: 4 MiB
    - `result_bytes`: 16 MiB
    """

    fuel: int | None = None
    wall_time: Time | None = None
    memory: Size | None = None
    table_elements: int | None = None
    stack: Size | None = None
    host_bytes: Size | None = None
    output_bytes: Size | None = None
    calls: int | None = None
    calls_at_once: int | None = None
    argument_bytes: Size | None = None
    result_bytes: Size | None = None

    def _given(self) -> dict[str, Any]:
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        if self.wall_time is not None:
            given["wall_time"] = _time(self.wall_time)
        return {name: value for name, value in given.items() if value is not None}


def _time(time: Time) -> str | float:
    """A time as the part that is written in Rust takes it: in milliseconds, or a text."""
    if isinstance(time, str):
        return time
    return 1000.0 * (time.total_seconds() if isinstance(time, datetime.timedelta) else time)


AnyLimits = Union[Limits, Mapping[str, Any]]


@functools.lru_cache(maxsize=64)
def _written(limits: Limits) -> str:
    return json.dumps(limits._given())


def _limits(limits: AnyLimits) -> str:
    return _written(limits if isinstance(limits, Limits) else _named(limits))


def _named(limits: Mapping[str, Any]) -> Limits:
    try:
        return Limits(**limits)
    except TypeError:
        known = {each.name for each in fields(Limits)}
        unknown = ", ".join(f"`{name}`" for name in limits if name not in known)
        raise UsageError(f"unknown limit {unknown}; the limits are {', '.join(sorted(known))}") from None


@dataclass(frozen=True)
class DirectCall:
    """One call of a tool, as the whole of a run: the same grants, checks, policies and records as for a script, and no
    guest is started. The value of the outcome is the tool's answer."""

    server: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def _written(self) -> str:
        given = {"server": self.server, "tool": self.tool, "arguments": dict(self.arguments)}
        try:
            return json.dumps(given, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise UsageError(f"`arguments` must be what JSON is made of: {error}") from error


@dataclass(frozen=True)
class Undo:
    """Takes back the calls of a failed run, in the place of a script: those that its outcome lists as `undo`, the newest
    first, until one fails. It is a run like any, with the tools that it is given. A run is undone once."""

    #: The id of the failed run: `outcome.undo.run`.
    run: str


@dataclass(frozen=True)
class Resume:
    """Continues a parked run, in the place of a script: with its grant, limits and session. Its tools and its layers are
    given again. A run is resumed once; it may be parked again."""

    #: The id of the parked run: `outcome.run`.
    run: str


#: What a run does: a script, one call, an undo, or the rest of a parked run.
Program = Union[str, DirectCall, Undo, Resume]


@dataclass(frozen=True)
class OpenCall:
    """A call of a parked run that has not ended: the `call`th, counted from 0."""

    call: int
    server: str
    tool: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True)
class ParkedRun:
    """A run that is kept on disk. Its `state` is `left` where it can be resumed, `parked` where a process has it, and
    `ended` where its outcome is kept."""

    run: str
    state: str
    language: str
    principal: str | None
    label: str | None
    since: datetime.datetime
    #: The calls that have not ended. Arguments that are too large to be kept are `None`.
    waiting: Sequence[OpenCall]
    calls: int
    kept_bytes: int
    #: How it ended, if that was kept by `keep_outcome`.
    ended: Outcome | None = None

    def outcome(self) -> Outcome:
        """How it ended; else as its outcome was when it was parked, without what it had printed and used."""
        if self.ended is not None:
            return self.ended
        usage = Usage(0, 0.0, 0, 0, 0, 0, ())
        waiting = [WaitingCall(each.call, each.server, each.tool, each.arguments, None) for each in self.waiting]
        return Parked([], usage, self.language, run=self.run, waiting=waiting)

    @classmethod
    def _read(cls, given: dict[str, Any]) -> ParkedRun:
        since = datetime.datetime.fromisoformat(given["since"].replace("Z", "+00:00"))
        waiting = [OpenCall(**each) for each in given["waiting"]]
        told = (given["run"], given["state"], given["language"], given["principal"], given.get("label"))
        ended = _outcome.of_document(given["outcome"]) if "outcome" in given else None
        return cls(*told, since, waiting, given["calls"], given["keptBytes"], ended)


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
        - `isolates`: how many may be alive at once; `slot_wait`: how long a run may wait for its place among them
        - `sessions`, `workspaces`, `skills`, `records`, `parked`, `code_cache`: the folders in which these are kept
        - `folders`, `writable_folders`: folders that runs see as `/folders/NAME`
        - `layers`: what all runs' calls pass, the outermost first: `layer(call, next)`
        """
        self._layers = _layers.checked(layers)
        #: Whether runs can be parked: a configuration has a folder for that, too.
        self._parks = parked is not None or config is not None
        given: dict[str, Any] = {
            "config": _path(config),
            "servers": servers,
            "limits": None if limits is None else json.loads(_limits(limits)),
            "ceilings": None if ceilings is None else json.loads(_limits(ceilings)),
            "isolates": isolates,
            "slotWait": _wait(slot_wait),
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
        return Run(self._runtime.start(given, called, contextvars.copy_context(), told), mailbox, ended)

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


def _given(
    code: Program,
    language: str | None,
    name: str | None,
    grant: str | Sequence[str] | None,
    limits: AnyLimits | None,
    texts: tuple[str | None, str | None],
    session: str | None,
    keep_always: bool,
    principal: str | None,
    groups: Sequence[str],
    record: bool,
    how: tuple[Check, Time | None, str | None, bool],
) -> _ampoule.Options:
    check, park_after, label, keep_outcome = how
    return (
        _program(code),
        language,
        name,
        _grant(grant),
        None if limits is None else _limits(limits),
        texts,
        session,
        keep_always,
        principal,
        groups,
        record,
        (json.dumps(check), None if park_after is None else json.dumps(_time(park_after)), label, keep_outcome),
    )


def _program(code: Program) -> tuple[str, str | None, str | None, str | None]:
    """The script, one call as JSON, or the id of the run that is undone, or that resumes."""
    if isinstance(code, DirectCall):
        return "", code._written(), None, None
    if isinstance(code, Undo):
        return "", None, code.run, None
    if isinstance(code, Resume):
        return "", None, None, code.run
    if isinstance(code, str):
        return code, None, None, None
    raise UsageError(f"`code` must be a script as text, a DirectCall, an Undo or a Resume, not {type(code).__name__}")


def _grant(grant: str | Sequence[str] | None) -> str | None:
    return None if grant is None else json.dumps(grant if isinstance(grant, str) else list(grant))


def _env(env: Mapping[str, Any] | None) -> str | None:
    if env is None:
        return None
    try:
        return json.dumps(dict(env), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"`env` must be what JSON is made of: {error}") from error


def _strings(strings: Mapping[str, str] | None) -> str | None:
    if strings is None:
        return None
    given = dict(strings)
    if not all(isinstance(text, str) for text in (*given, *given.values())):
        raise UsageError("`strings` must be texts by their names")
    return json.dumps(given)


def _has_async(offered: list[_tools.OfServer], layers: list[_layers.Row]) -> bool:
    return any(tools.has_async for tools, _ in offered) or any(is_async for is_async, _ in layers)


def _path(path: Path | None) -> str | None:
    return None if path is None else os.fspath(path)


def _wait(time: Time | None) -> int | None:
    if time is None:
        return None
    if isinstance(time, str):
        raise UsageError("`slot_wait` must be seconds, or a timedelta")
    return round(float(_time(time)))


_open: weakref.WeakSet[Runtime] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Ends active runs before Python shuts down."""
    for runtime in list(_open):
        runtime.close()
    _loops.stop_own()
