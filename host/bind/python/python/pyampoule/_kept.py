"""Runs that are kept on disk: parked ones, and those whose outcome is kept."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _outcome
from ._outcome import Outcome, Parked, Usage, WaitingCall


@dataclass(frozen=True)
class OpenCall:
    """A call of a parked run that has not ended: the `call`th, counted from 0. Arguments that are too large to be kept are
    `None`."""

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
    #: The calls that have not ended: those that wait for an answer from outside, and those that wait for their turn.
    open_calls: Sequence[OpenCall]
    calls: int
    kept_bytes: int
    #: How it ended, if that was kept by `keep_outcome`.
    ended: Outcome | None = None

    def outcome(self) -> Outcome:
        """How it ended; else as its outcome was when it was parked, without what it had printed and used."""
        if self.ended is not None:
            return self.ended
        usage = Usage(0, 0.0, 0, 0, 0, 0, ())
        waiting = [WaitingCall(each.call, each.server, each.tool, each.arguments, None) for each in self.open_calls]
        return Parked([], usage, self.language, run=self.run, waiting=waiting)

    @classmethod
    def _read(cls, given: dict[str, Any]) -> ParkedRun:
        since = datetime.datetime.fromisoformat(given["since"].replace("Z", "+00:00"))
        open_calls = [OpenCall(**each) for each in given["openCalls"]]
        told = (given["run"], given["state"], given["language"], given["principal"], given.get("label"))
        ended = _outcome.of_document(given["outcome"]) if "outcome" in given else None
        return cls(*told, since, open_calls, given["calls"], given["keptBytes"], ended)
