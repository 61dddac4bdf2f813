"""What a run does, and how: options as the part that is written in Rust takes them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from . import _ampoule
from ._errors import UsageError
from ._limits import AnyLimits, Time, _limits, _time

Check = Literal["first", "off", "alone"]


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
