"""Errors that a script did not catch: what they say, where they happened in the sources as written, and why."""

from .own import __builtins__

from . import advice, places
from .calls import ToolError
from .result import render
from .values import parse

# How many causes are told, one within the other or beside each other.
CAUSES_LIMIT = 16

# How many notes on an error are told.
NOTES_LIMIT = 8

# How long texts may be, in characters: messages, those of causes, and stacks, whose names are the script's.
MESSAGE_LIMIT = 15 << 10
CAUSE_LIMIT = 2_000
DATA_LIMIT = 2_000
STACK_LIMIT = 8 << 10
NAME_LIMIT = 200

# What errors are made of, whatever their classes say.
traceback_of = BaseException.__traceback__.__get__
cause_of = BaseException.__cause__.__get__
context_of = BaseException.__context__.__get__
is_suppressed = BaseException.__suppress_context__.__get__


def thrown(error):
    """An error as the host takes it."""
    found = places.frames(traceback_of(error))
    location = location_of(error, found)
    name, message = named(error)
    message = advice.of(error, message, location) + notes(error)
    stack = cut(places.stack_text(found), STACK_LIMIT)
    return "thrown", name, cut(message, MESSAGE_LIMIT), location, stack, causes(error)


def named(error):
    """The name and the message of an error."""
    name = cut(type(error).__name__, NAME_LIMIT)
    if isinstance(error, SyntaxError) and error.filename in places.sources:
        return name, str(error.msg)
    if isinstance(error, ToolError) and type(error).__str__ is Exception.__str__:
        message = text_of(error)
        data = data_of(error, message)
        if error.server and error.tool:
            message = f"{error.server}.{error.tool}: {message}"
        # There is room for the data whatever the message's length.
        return name, fit(message, MESSAGE_LIMIT - 2 * DATA_LIMIT) + data if data else message
    if isinstance(error, BaseExceptionGroup) and type(error).__str__ is BaseExceptionGroup.__str__:
        count = len(error.exceptions)
        return name, f"{error.message} ({count} error{'' if count == 1 else 's'})"
    return name, text_of(error)


def data_of(error, message):
    """What a tool told of its failure as data, as a line. Nothing where its message says the same."""
    try:
        data = error.data
        text = "" if data is None else render(data)
        is_said = text in message or (message[:1] in "{[" and parse(message) == data)
    except BaseException:
        return ""
    return "" if is_said else f"\nThe error's `data`: {fit(text, DATA_LIMIT)}"


def notes(error):
    """What was noted on an error, a line each."""
    try:
        noted = getattr(error, "__notes__", None)
    except BaseException:
        noted = None
    if not isinstance(noted, list):
        return ""
    lines = [note for note in noted[:NOTES_LIMIT] if isinstance(note, str)]
    if len(noted) > NOTES_LIMIT:
        lines.append(f"… ({len(noted) - NOTES_LIMIT} more notes)")
    return "".join("\n" + line for line in lines)


def text_of(error):
    """What an error says. Its class may be the script's."""
    try:
        return str(error)
    except BaseException as failure:
        return f"<its __str__ raised {type(failure).__name__}>"


def location_of(error, found):
    """Where an error happened: where the source has a fault, or the innermost frame, or where the call was made that failed."""
    place = syntax_location(error)
    if place is None and found:
        place = places.Frame(*found[-1]).location()
    if place is None and isinstance(error, ToolError) and error._at is not None and error._at[0].co_filename in places.sources:
        place = places.Frame(*error._at, None).location()
    return place


def syntax_location(error):
    """Where the source has a fault, if that is what the error is about."""
    if not isinstance(error, SyntaxError) or error.filename not in places.sources:
        return None
    return places.location(error.filename, max(1, error.lineno or 1), max(1, error.offset or 1))


def cut(text, limit):
    """A text that is too long, without its end."""
    return text if len(text) <= limit else f"{text[:limit]}… (cut: {len(text)} characters)"


def fit(text, limit):
    """A text without its end, if it takes more than so many bytes of UTF-8: the host counts these."""
    given = text.encode("utf-8", "replace")
    return text if len(given) <= limit else f"{given[:limit].decode('utf-8', 'ignore')}… (cut: {len(text)} characters)"


def causes(error):
    """The causes of an error, and the errors that it gathers, a line each."""
    lines = []
    seen = {id(error)}
    rest = inner(error)
    while rest and len(lines) < CAUSES_LIMIT:
        cause = rest.pop()
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        lines.append(line_of(cause))
        rest.extend(inner(cause))
    return lines


def inner(error):
    """What an error holds of others, the first last."""
    held = []
    if isinstance(error, BaseExceptionGroup):
        held.extend(error.exceptions[:CAUSES_LIMIT])
    cause = cause_of(error)
    if cause is None and not is_suppressed(error):
        cause = context_of(error)
    if cause is not None:
        held.insert(0, cause)
    held.reverse()
    return held


def line_of(error):
    """What an error is, in a line."""
    name, message = named(error)
    location = location_of(error, places.frames(traceback_of(error)))
    at = "" if location is None else " ({}:{}:{})".format(*location[:3])
    message = cut(message, CAUSE_LIMIT)
    return f"{name}: {message}{at}" if message else f"{name}{at}"


def simple(error):
    """An error as the host takes it, when telling it as `thrown` does failed."""
    name = type(error).__name__
    try:
        message = text_of(error)
        found = places.frames(traceback_of(error))
        location = places.Frame(*found[-1]).location() if found else None
    except BaseException:
        message, location = "", None
    return "thrown", cut(name, NAME_LIMIT), cut(message, CAUSE_LIMIT), location, "", []
