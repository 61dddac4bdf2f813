"""What the tests share: one runtime, as programs have one."""

from collections.abc import Iterator

import pytest

import ampoule


@pytest.fixture(scope="session")
def runtime() -> Iterator[ampoule.Runtime]:
    with ampoule.Runtime() as runtime:
        yield runtime
