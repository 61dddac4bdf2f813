"""The events of a run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._outcome import CallUsage, _call


@dataclass(frozen=True)
class Event:
    """Something that happened in a run: one of the classes below, or this one, of a kind that is new. `number` counts
    a run's events from 0; `at_ms` is when it happened, in milliseconds since the run was asked for."""

    run: str
    number: int
    at_ms: float
    kind: str


@dataclass(frozen=True)
class Output(Event):
    """The script printed a line."""

    level: str
    text: str


@dataclass(frozen=True)
class CallStarted(Event):
    """It started a call: the `call`th, counted from 0."""

    call: int
    server: str
    tool: str


@dataclass(frozen=True)
class CallEnded(Event):
    """A call ended, and the script has its result."""

    call: int
    usage: CallUsage


@dataclass(frozen=True)
class Progress(Event):
    """It reported its progress, by `progress`."""

    fraction: float | None
    text: str


def read(document: str) -> Event:
    """An event, from its JSON."""
    given = json.loads(document)
    kind = given["event"]
    of_all = (given["run"], given["number"], given["atMs"], kind)
    make = _KINDS.get(kind)
    return Event(*of_all) if make is None else make(of_all, given)


_Of = tuple[str, int, float, str]


def _output(of_all: _Of, given: dict[str, Any]) -> Event:
    return Output(*of_all, given["level"], given["text"])


def _call_started(of_all: _Of, given: dict[str, Any]) -> Event:
    return CallStarted(*of_all, given["call"], given["server"], given["tool"])


def _call_ended(of_all: _Of, given: dict[str, Any]) -> Event:
    return CallEnded(*of_all, given["call"], _call(given))


def _progress(of_all: _Of, given: dict[str, Any]) -> Event:
    return Progress(*of_all, given["fraction"], given["text"])


_KINDS = {
    "output": _output,
    "call-started": _call_started,
    "call-ended": _call_ended,
    "progress": _progress,
}
