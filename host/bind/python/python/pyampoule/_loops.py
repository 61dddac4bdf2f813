"""Event loops that get messages of the runtime's threads: those of programs, and one for programs that have none."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable
from typing import Any

from . import _ampoule

_mailboxes: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, _ampoule.Mailbox] = weakref.WeakKeyDictionary()
_lock = threading.Lock()
_own: asyncio.AbstractEventLoop | None = None


def mailbox_of(loop: asyncio.AbstractEventLoop) -> _ampoule.Mailbox:
    """The mailbox of the running loop."""
    mailbox = _mailboxes.get(loop)
    if mailbox is None:
        mailbox = _ampoule.Mailbox()
        loop.add_reader(mailbox.fileno(), _read, mailbox, loop)
        _mailboxes[loop] = mailbox
    return mailbox


def _read(mailbox: _ampoule.Mailbox, loop: asyncio.AbstractEventLoop) -> None:
    _tell(mailbox.take(), loop)


def stepped(mailbox: _ampoule.Mailbox | None) -> None:
    """To be called after what may have done a step of a run, in the loop that runs: it has messages then."""
    if mailbox is None:
        return
    loop = asyncio.get_running_loop()
    if mailbox.begins_turn():
        loop.call_soon(mailbox.next_turn)
    _tell(mailbox.take_here(), loop)


def _tell(messages: list[tuple[Callable[[Any], None], Any]], loop: asyncio.AbstractEventLoop) -> None:
    for told, what in messages:
        try:
            told(what)
        except Exception as error:
            loop.call_exception_handler({"message": "a callback of Ampoule raised an exception", "exception": error})


def own_mailbox() -> _ampoule.Mailbox:
    """The mailbox of the loop for programs without a loop: it calls async functions, on a thread of its own."""
    global _own
    with _lock:
        if _own is None:
            _own = asyncio.new_event_loop()
            mailbox_of(_own)
            threading.Thread(target=_run, args=(_own,), name="ampoule-tools", daemon=True).start()
        return _mailboxes[_own]


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.run_forever()


def stop_own() -> None:
    """Ends that thread, before Python ends."""
    global _own
    with _lock:
        if _own is not None:
            _own.call_soon_threadsafe(_own.stop)
            _own = None


def settle(future: asyncio.Future[Any], what: Any) -> None:
    """Completes a future: with a result, or an exception."""
    if future.done():
        return
    if isinstance(what, BaseException):
        future.set_exception(what)
    else:
        future.set_result(what)
