"""What the tests share: one runtime, as programs have one."""

from collections.abc import Iterator

import pytest

import pyampoule


@pytest.fixture(scope="session")
def runtime() -> Iterator[pyampoule.Runtime]:
    with pyampoule.Runtime() as runtime:
        yield runtime
