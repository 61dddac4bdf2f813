"""What the bridges' proxies give: the same values as elsewhere, which can also be read as the protocol's answers are, since scripts
that were written for a bridge do: `result["content"][0]["text"]`. A key that the value itself has comes first."""

from .own import __builtins__

from _ampoule import keys_as_attributes

from .result import render
from .values import Object

# What an answer of the protocol has.
KEYS = frozenset({"content", "structuredContent", "isError"})


def part(value, key):
    """What an answer with this value has under a key."""
    if key == "isError":
        return False
    if key == "structuredContent":
        return value if isinstance(value, dict) else Object(result=value)
    if isinstance(value, list) and value and all(isinstance(block, dict) and "type" in block for block in value):
        # Content blocks as they are.
        return value
    text = value if isinstance(value, str) else render(value)
    return [Object(type="text", text=text)]


class Answer(Object):
    """An object."""

    __slots__ = ()

    def __missing__(self, key):
        return part(self, key) if key in KEYS else Object.__missing__(self, key)

    def get(self, key, default=None):
        return self[key] if key in self or key in KEYS else default


keys_as_attributes(Answer)


class Shaped:
    """A value that is no object. Its items have numbers; what has a text as its key is the answer's."""

    __slots__ = ()

    def __getitem__(self, key):
        if isinstance(key, str) and key in KEYS:
            return part(self, key)
        return super().__getitem__(key)

    def get(self, key, default=None):
        return part(self, key) if key in KEYS else default

    @property
    def content(self):
        return part(self, "content")


class TextAnswer(Shaped, str):
    """A text."""

    __slots__ = ()


class ListAnswer(Shaped, list):
    """A list."""

    __slots__ = ()


def answer(value):
    """A tool's value as a bridge's proxy gives it."""
    kind = type(value)
    if kind is Object:
        return Answer(value)
    if kind is str:
        return TextAnswer(value)
    return ListAnswer(value) if kind is list else value
