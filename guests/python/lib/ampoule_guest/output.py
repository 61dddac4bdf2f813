"""The script's output: standard streams, logging and warnings, as lines with a level."""

from .own import __builtins__

import io
import logging
import re
import sys
import warnings

from _ampoule import progress as tell, write

DEBUG, LOG, INFO, WARN, ERROR = range(5)

# How many characters of an unfinished line are kept before they are written as they are.
KEPT = 64 * 1024


def write_text(level, text):
    """Writes a text, whatever is in it."""
    try:
        write(level, text)
    except UnicodeEncodeError:
        write(level, encodable(text))


def encodable(text):
    """A text without halves of surrogate pairs, which UTF-8 does not have."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def progress(fraction=None, text=""):
    """Tells whoever waits for the run how far it is: a fraction from 0 to 1, and what it does."""
    if isinstance(fraction, str):
        fraction, text = None, fraction
    if fraction is not None and not (isinstance(fraction, (int, float)) and 0 <= fraction <= 1):
        raise ValueError('progress takes a fraction from 0 to 1, and a text: progress(0.5, "half done")')
    tell(fraction, encodable(str(text)))


class Stream(io.TextIOBase):
    """A standard stream: lines go to the output as soon as they are whole."""

    encoding = "utf-8"
    errors = "replace"
    newlines = None
    line_buffering = True

    # Without a place of their own they would be looked for in the base's dict, and in CPython's cache of types before that, which each
    # run would write to.
    __slots__ = ("name", "mode", "level", "_parts", "_kept", "_used")

    def __init__(self, name, level):
        self.name = name
        self.mode = "w"
        self.level = level
        self._parts = []
        self._kept = 0
        self._used = False

    def write(self, text):
        if text == "\n":
            self._end_line()
            return 1
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        if "\n" in text:
            lines, _, rest = text.rpartition("\n")
            self._parts.append(lines)
            self.finish()
            if rest:
                self.write(rest)
        elif text:
            self._parts.append(text)
            self._kept += len(text)
            if self._kept > KEPT:
                self.finish()
        return len(text)

    def flush(self):
        """Does nothing: an unfinished line, as of `print(".", end="", flush=True)`, is not to be broken."""

    def finish(self):
        """Writes what is left of the last line."""
        if self._parts:
            self._end_line()

    def _end_line(self):
        line = "".join(self._parts)
        self._parts.clear()
        self._kept = 0
        self._used = True
        write_text(self.level, line)

    def write_line(self, level, line):
        """Writes a line of another level, after what was begun."""
        self.finish()
        write_text(level, line)

    def is_used(self):
        """Whether anything was printed."""
        return self._used or self._kept > 0

    def writable(self):
        return True

    def isatty(self):
        return False

    def reconfigure(self, **options):
        """Does nothing: output is text."""

    @property
    def buffer(self):
        return Bytes(self)


class Bytes(io.RawIOBase):
    """The bytes below a standard stream."""

    def __init__(self, stream):
        self._stream = stream

    def write(self, data):
        data = bytes(data)
        self._stream.write(data.decode("utf-8", "replace"))
        return len(data)

    def writable(self):
        return True


stdout = Stream("<stdout>", LOG)
stderr = Stream("<stderr>", ERROR)


def finish():
    """Writes what is left of the last lines."""
    for stream in (sys.stdout, sys.stderr):
        if not isinstance(stream, Stream):
            # The script's own, perhaps around one of these.
            try:
                stream.flush()
            except Exception:
                pass
    stdout.finish()
    stderr.finish()


def warn(text):
    """Writes a warning of this guest."""
    stdout.finish()
    write_text(WARN, "Warning: " + text)


def note(text):
    """Writes what the script is to know, beside its own output."""
    stdout.finish()
    write_text(WARN, "Note: " + text)


def _level_of(record):
    number = record.levelno
    if number >= logging.ERROR:
        return ERROR
    if number >= logging.WARNING:
        return WARN
    return INFO if number >= logging.INFO else DEBUG


def _emit(handler, record):
    """Writes a logging record: to the standard streams with its own level."""
    try:
        text = handler.format(record)
        stream = handler.stream
        if isinstance(stream, Stream):
            stream.write_line(_level_of(record), text)
        else:
            stream.write(text + handler.terminator)
            handler.flush()
    except RecursionError:
        raise
    except Exception:
        handler.handleError(record)


# While this is set, warnings are not written: a source is compiled more than once to find out what it is.
muted = False


# What Python says of an async function's call that nothing held any more.
NEVER_AWAITED = re.compile("coroutine '(.+)' was never awaited")

# What was said of the source already.
said_of_sources = set()


def _show_warning(message):
    if muted:
        return
    if issubclass(message.category, SyntaxWarning):
        said = message.filename, message.lineno, str(message.message)
        if said in said_of_sources:
            return
        said_of_sources.add(said)
    if message.file is not None:
        message.file.write(warnings.formatwarning(message.message, message.category, message.filename, message.lineno))
        return
    forgotten = NEVER_AWAITED.fullmatch(str(message.message))
    advice = f"; write `await {forgotten[1]}(...)`" if forgotten else ""
    place = "" if message.filename.startswith("<") else f" ({message.filename}:{message.lineno})"
    stdout.finish()
    write_text(WARN, f"{message.category.__name__}: {message.message}{advice}{place}")


def install():
    """Puts the streams in place, before the snapshot."""
    sys.stdout = sys.__stdout__ = stdout
    sys.stderr = sys.__stderr__ = stderr
    logging.StreamHandler.emit = _emit
    logging.raiseExceptions = True
    if not hasattr(warnings, "_get_context"):
        # Before 3.14, `catch_warnings(record=True)` replaces this one itself.
        warnings._showwarnmsg_impl = _show_warning
    else:
        recorded = warnings._showwarnmsg_impl

        def show(message):
            if warnings._get_context().log is not None:
                recorded(message)
            else:
                _show_warning(message)

        warnings._showwarnmsg_impl = show
