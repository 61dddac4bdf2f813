"""The program's sources as they were written, and places in them."""

from .own import __builtins__

from itertools import islice

# The longest piece of a source line that an error shows, in characters.
LINE_LIMIT = 160

# How many frames of a traceback are shown at its start and its end.
OUTER, INNER = 6, 14

# The sources by their names; and their lines, once somebody asked for them.
sources = {}
split = {}


def lines_of(name):
    """The lines of a source."""
    lines = split.get(name)
    if lines is None:
        lines = split[name] = sources[name].split("\n")
    return lines


def line_text(name, line):
    lines = lines_of(name)
    return lines[line - 1].rstrip() if 0 < line <= len(lines) else ""


def location(name, line, column):
    """A place as errors show it. Line and column are counted from 1."""
    text = line_text(name, line)
    if len(text) > LINE_LIMIT:
        first = min(max(0, column - 1 - LINE_LIMIT // 2), len(text) - LINE_LIMIT)
        end = first + LINE_LIMIT
        text = ("…" if first else "") + text[first:end] + ("…" if end < len(text) else "")
    return name, line, column, text


class Frame:
    """A frame in one of the program's sources."""

    __slots__ = ("code", "line", "offset")

    def __init__(self, code, instruction, line):
        self.code = code
        self.line, self.offset = position(code, instruction, line)

    def location(self):
        name = self.code.co_filename
        text = line_text(name, self.line)
        column = 1 if self.offset is None else len(text.encode("utf-8", "replace")[: self.offset].decode("utf-8", "replace")) + 1
        return location(name, self.line, column)

    def text(self):
        name, line, _, text = self.location()
        text = text.strip()
        first = f'  File "{name}", line {line}, in {self.code.co_qualname}'
        return f"{first}\n    {text}" if text else first


def position(code, instruction, line):
    """The line of an instruction, and the byte in it."""
    first, _, offset, _ = next(islice(code.co_positions(), instruction // 2, None), (None,) * 4)
    return first or line or 1, offset


def frames(traceback):
    """The frames of a traceback that are in the program's sources, outermost first."""
    found = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename in sources:
            found.append((code, traceback.tb_lasti, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def stack_text(found):
    """Frames as Python's tracebacks show them; of a deep recursion only its ends."""
    if len(found) < 2:
        return ""
    if len(found) > OUTER + INNER:
        texts = [Frame(*frame).text() for frame in found[:OUTER]]
        texts.append(f"  [{len(found) - OUTER - INNER} more]")
        texts += [Frame(*frame).text() for frame in found[-INNER:]]
    else:
        texts = [Frame(*frame).text() for frame in found]
    return "\n".join(["Traceback (most recent call last):", *texts])
