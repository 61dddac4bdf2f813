"""Limits of runs, and times as options have them."""

from __future__ import annotations

import datetime
import functools
import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Union

from ._errors import UsageError

Size = Union[int, str]
Time = Union[float, int, str, datetime.timedelta]


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
