"""One script from its source to its end."""

from .own import __builtins__

import atexit
import builtins
import sys
from inspect import CO_COROUTINE
from types import FunctionType, ModuleType

from _ampoule import begin_reading, end_reading, roots_read

from . import calls, checks, files, fresh, lasting, meant, missed, modules, output, places, scope, source, threads, unawaited
from .loop import in_place, loop, stuck_for_ever
from .result import render
from .shape import RESULT
from .thrown import line_of, simple, thrown
from .values import is_awaitable, parse
from .works import used


# Packages of servers: what a script imports of them need not be a name of its own.
PACKAGES = ("servers", "tools", "mcp")

# The codes of the script that runs, by its name, in a session.
prepared_codes = {}


def ended(name, text, given, env, checking, strings):
    """Runs a script, and tells how it ended. Yields where it waits, as the loop does."""
    places.sources[name] = text
    asks = ".get(" in text
    if asks:
        missed.begin()
    try:
        prepared, namespace, names_granted = made_ready(name, text, given, env, checking, strings)
        if checking:
            outcome = checked(name, text, prepared.codes, namespace, names_granted)
            if outcome is not None or checking == checks.ALONE:
                return encodable(outcome or ("ok", None))
        if lasting.session is not None:
            checks.note(lasting.session, prepared.codes)
        value, awaits = begun(prepared, namespace)
        if awaits:
            value = yield from loop.completed(value)
        if used:
            threads.finish()
        if value is None:
            value = namespace.pop(RESULT, None)
        if value is None:
            value = meant_by(name, namespace)
        outcome = "ok", (yield from finished(value))
        files.finish()
    except SystemExit as error:
        outcome = exited(error, name)
    except BaseException as error:
        outcome = thrown(error)
    try:
        finish()
        # As in most runs, there is nothing to look for.
        if outcome[0] == "ok" and (calls.unheard or calls.pending or asks or "async def" in text):
            warn_of_mistakes(text, outcome[1] is None)
    except BaseException as error:
        # What runs at the very end does not change what the script gave.
        output.warn(f"the script's end failed: {line_of(error)}")
        output.finish()
    return outcome if outcome[0] == "ok" else encodable(outcome)


def made_ready(name, text, given, env, checking, strings):
    """Makes a script ready to run. Gives its code and its globals, and whether it names what was granted."""
    prepared = source.prepare(text, name, lasting.session is not None, begin_reading if checking else None)
    fresh.begin()
    if given:
        modules.give(given)
    if env:
        modules.set_env(parse(env))
    modules.set_strings(parse(strings) if strings else None)
    namespace = main_namespace(name)
    if lasting.session is not None:
        prepared_codes.clear()
        prepared_codes[name] = prepared.codes
    return prepared, namespace, scope.define(prepared.codes, namespace)


def checked(name, text, codes, namespace, names_granted):
    """How a script ends before it begins, for its mistakes; None if it is to run."""
    if not names_granted and not any(package in text for package in PACKAGES):
        # It can call no tool.
        end_reading()
        return None
    roots = roots_read()
    return checks.refusal(name, namespace, codes, roots) if roots else None


def begun(prepared, namespace):
    """Begins the script. Gives its value, and whether that is to be awaited."""
    awaits = any(code.co_flags & CO_COROUTINE for code in prepared.codes)
    if prepared.is_function:
        return FunctionType(prepared.codes[0], namespace)(), awaits
    if awaits:
        return in_turn(prepared.codes, namespace), True
    for code in prepared.codes:
        eval(code, namespace)
    return None, False


def meant_by(name, namespace):
    """What a script leaves that gives nothing itself."""
    if lasting.session is not None and meant.NAME not in names_set_by(name):
        # An earlier script of the session left it.
        return None

    def statements():
        try:
            return source.parsed(source.code_in(places.sources[name]), name).body
        except SyntaxError:
            # It ran, but there is no room for all of it at once.
            return []

    return meant.result_of(namespace, statements)


def names_set_by(name):
    """The global names that a script sets."""
    return scope.stored_names(prepared_codes.get(name, ()))


async def in_turn(codes, namespace):
    """Runs codes one after the other, of which some await."""
    for code in codes:
        value = eval(code, namespace)
        if code.co_flags & CO_COROUTINE:
            await value


def main_namespace(name):
    """The globals of the main module."""
    main = lasting.main()
    if main is None:
        main = ModuleType("__main__")
    namespace = main.__dict__
    namespace["__builtins__"] = builtins
    namespace["__file__"] = name
    namespace["__loader__"] = modules.sources
    sys.modules["__main__"] = main
    sys.argv = [name]
    return namespace


def finished(value):
    """The value as JSON, after what it waits for. Where there is none, calls that nobody awaited come to their ends."""
    if value is None:
        loop.cancel_left()
        yield from loop.turns(lambda: not calls.pending, stuck_for_ever)
        for call in calls.failed:
            if call._log_traceback:
                # Nothing else tells of it.
                return call.result()
        return None
    value = yield from settled(value)
    return None if value is None else render(value, settled_in_place)


def settled(value):
    """What an awaitable gives; of a list or dict of them, which a comprehension of calls gives, the same with what they give. Those that lie
    deeper are waited for one after the other, as they are written."""
    if is_awaitable(value):
        return (yield from loop.completed(awaited(value)))
    if hasattr(type(value), "__aiter__"):
        return (yield from loop.completed(items_of(value)))
    if isinstance(value, (list, tuple)) and value and is_awaitable(value[0]):
        return (yield from loop.completed(all_of(value)))
    if isinstance(value, dict) and value and is_awaitable(next(iter(value.values()))):
        return dict(zip(value, (yield from loop.completed(all_of(value.values())))))
    return value


def settled_in_place(value):
    return in_place(settled(value))


async def awaited(value):
    return await value


async def items_of(value):
    return [item async for item in value]


async def all_of(values):
    started = [loop.create_task(awaited(value)) if is_awaitable(value) else value for value in values]
    return [await value if is_awaitable(value) else value for value in started]


def exited(error, name):
    """`sys.exit()` ends the script; with an error, that is told."""
    if error.code is None or error.code == 0 or error.code is False:
        main = sys.modules["__main__"].__dict__
        value = meant_by(name, main)
        return "ok", None if value is None else render(value)
    return thrown(error)


def finish():
    """Ends what the script left behind, and writes what it had not written to the end."""
    if atexit._ncallbacks():
        atexit._run_exitfuncs()
    if calls.pending:
        # Of those that have ended already, failures are told.
        calls.take(0)
    if used:
        threads.forget()
    loop.finish()
    for call in calls.failed:
        if call._log_traceback:
            call._log_traceback = False
            output.warn(f"a call failed, and nothing awaited it: {line_of(call.exception())}")
    output.finish()


def warn_of_mistakes(text, is_program):
    """Tells what a script gave no heed to, though it came to its end. Calls under way that nobody awaits end here: the host need not tell of them again."""
    told = unawaited.warnings(calls.unheard.values(), calls.end_unawaited(lasting.session is not None), is_program)
    main = sys.modules.get("__main__")
    for warning in (*told, *unawaited.coroutines(getattr(main, "__dict__", {})), *missed.warnings(text)):
        output.warn(warning)


def encodable(outcome):
    """An outcome whose texts are texts alone, and UTF-8 can hold."""
    def fix(part):
        if isinstance(part, str):
            part = part if type(part) is str else str.__add__(part, "")
            return part if part.isascii() else output.encodable(part)
        if isinstance(part, (tuple, list)):
            return type(part)(map(fix, part))
        return part

    return fix(outcome)


# What is told where there is no memory left to tell more.
FULL = "thrown", "MemoryError", "The run's memory is used up: hold less at once.", None, "", []

# What is told of a script that broke what tells of errors.
BROKEN = "thrown", "Error", "The script changed the interpreter's own objects, so that its end can't be told.", None, "", []


def run(name, text, given, env, checking=0, strings="", *, _ended=ended, _finish_output=output.finish, _simple=simple, _full=FULL, _broken=BROKEN):
    """Runs a script, in steps: yields how long it waits, and is sent the calls that have ended. Gives `("ok", json)`, or `("thrown", ...)` with what it did not
    catch."""
    try:
        return (yield from _ended(name, text, given, env, checking, strings))
    except BaseException as error:
        try:
            _finish_output()
            return _simple(error)
        except MemoryError:
            return _full
        except BaseException:
            return _broken
