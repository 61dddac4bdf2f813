"""Every example of docs/python.md, one after the other, as somebody types them into one program."""

import pathlib
import re
from typing import Any

DOCUMENT = pathlib.Path(__file__).resolve().parents[3] / "docs/python.md"


def test_every_example_runs() -> None:
    text = DOCUMENT.read_text()
    examples = list(re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    assert len(examples) >= 8
    names: dict[str, Any] = {"__name__": "document"}
    for example in examples:
        # Lines are counted as in the document.
        before = text.count("\n", 0, example.start(1))
        exec(compile("\n" * before + example[1], str(DOCUMENT), "exec"), names)
    names["runtime"].close()
