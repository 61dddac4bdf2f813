"""A tool as an object: what its arguments may be, and the call that they start."""

from .own import __builtins__

import _ampoule

from . import calls
from .answers import answer
from .blocks import with_bytes
from .loop import loop
from .names import fold
from .result import arguments_text


class UnknownName(AttributeError, KeyError):
    """No such server or tool in the grant. `near` has the names that were likely meant."""

    def __init__(self, message="", near=()):
        super().__init__(message)
        self.near = list(near)

    def __str__(self):
        return str(self.args[0]) if self.args else ""


def resolved(function, *args):
    """What the host says of a name, or its error as the script's."""
    try:
        return function(*args)
    except _ampoule.UnknownName as unknown:
        raise UnknownName(*unknown.args) from None


def declaration(number):
    """A tool's declaration. Where its server can't say which tools it has, that is raised as a call's error would be."""
    try:
        return _ampoule.describe(number)
    except _ampoule.Unlisted as unlisted:
        server, name = _ampoule.name_of(number)
        raise calls.ToolError(str(unlisted), kind="not-reached", server=server, tool=name) from None


class Tool:
    """A tool. Calling it starts it; `await` gives its value. The host finds out which of the schema's arguments a name means: `from_` and
    `page_size` may be `from` and `pageSize` there."""

    __slots__ = ("number", "server", "name", "_parameters", "__weakref__")

    # What makes of a value what the caller expects, if it is not the value itself.
    shaped = None

    def __init__(self, number):
        self.number = number
        self.server, self.name = _ampoule.name_of(number)
        self._parameters = None

    def __call__(self, /, *args, **named):
        if args:
            named = self._in_order(args, named)
        return calls.start(loop, self, arguments_text(named, self) if named else "{}")

    @property
    def parameters(self):
        """The names of the arguments, in the order of the tool's schema."""
        if self._parameters is None:
            self._parameters = _ampoule.parameters(self.number)
        return self._parameters

    def _in_order(self, args, named):
        """Arguments that were not named: one dict with their names, or values in the order of the schema."""
        count = len(args)
        while count and args[count - 1] is None:
            count -= 1
        if count == 0:
            return named
        if count == 1 and self._holds_names(args[0]):
            return {**args[0], **named}
        parameters = self.parameters
        if count > len(parameters):
            taken = f"its arguments in the order ({', '.join(parameters)})" if parameters else "no arguments"
            raise TypeError(f"{self.name} takes {taken}, or one dict with their names; it was given {count}")
        arguments = {name: value for name, value in zip(parameters, args[:count]) if value is not None}
        by_fold = {fold(name): name for name in arguments}
        for name in named:
            if fold(name) in by_fold:
                raise TypeError(f"{self.name} got two values for `{by_fold[fold(name)]}`")
        return {**arguments, **named}

    def _holds_names(self, value):
        """Whether a dict holds arguments by their names; else it is the first argument. A tool that names none may take any."""
        if not isinstance(value, dict):
            return False
        if not value or not self.parameters:
            return True
        folded = {fold(name) for name in self.parameters}
        return any(fold(key) in folded for key in value if isinstance(key, str))

    @property
    def __name__(self):
        return self.name

    @property
    def __doc__(self):
        try:
            return _ampoule.describe(self.number)
        except _ampoule.Unlisted as unlisted:
            return str(unlisted)

    def __str__(self):
        return f"{self.server}.{self.name}"

    def __repr__(self):
        return f"<tool {self.server}.{self.name}>"

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(name)
        raise AttributeError(f"`{name}` was read of the tool {self}: call it first, as in `(await {self.name}(...)).{name}`")


class ProxyTool(Tool):
    """A tool as a bridge's proxy has it."""

    __slots__ = ()
    shaped = staticmethod(answer)


class Reading(Tool):
    """Reads a resource: blobs are bytes."""

    __slots__ = ()
    shaped = staticmethod(with_bytes)


def whole(tool=None, /, *args, **named):
    """A call that gives all of a tool's answer: `content`, and `structuredContent` and `_meta` where it has them."""
    if isinstance(tool, str):
        tool = tool_of(resolved(_ampoule.resolve, None, tool))
    if not isinstance(tool, Tool) or tool.name[:1] == "$":
        raise TypeError("whole takes a tool, which is not called, and its arguments: whole(tools.server.tool, name=value)")
    tool = tool_of(tool.number)
    if args:
        named = tool._in_order(args, named)
    return calls.start(loop, tool, arguments_text(named, tool) if named else "{}", True)


# Tools by their kinds and numbers, so that a tool is the same object each time.
known_tools = {}


def tool_of(number, kind=Tool):
    tool = known_tools.get((kind, number))
    if tool is None:
        tool = kind(number)
        if tool.name == "$read":
            tool = Reading(number)
        known_tools[kind, number] = tool
    return tool
