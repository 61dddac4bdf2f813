"""Every example of a document, one after the other, as somebody types them into one program."""

import pathlib
import re
from typing import Any

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[4]


DOCUMENTS = [
    ("README.md", 1),
    ("docs/start/python.md", 3),
    ("docs/guides/python.md", 8),
    ("xtask/src/dist/files/pypi.md", 1),
]


@pytest.mark.parametrize(("document", "least"), DOCUMENTS)
def test_every_example_runs(document: str, least: int) -> None:
    text = (REPOSITORY / document).read_text()
    examples = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(examples) >= least
    names: dict[str, Any] = {"__name__": "document"}
    for example in examples:
        # Lines are counted as in the document.
        before = text.count("\n", 0, example.start(1))
        exec(compile("\n" * before + example[1], document, "exec"), names)
    names["runtime"].close()
