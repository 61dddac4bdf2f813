//! Python that tampers with the interpreter, and looks for a way out.

use super::{Hostile, python};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        python(
            "ctypes",
            "
            import ctypes
            ctypes.string_at(0)
            ",
            "threw:ModuleNotFoundError",
        ),
        python("_ctypes", "import _ctypes", "threw:ModuleNotFoundError"),
        python(
            "a compiled extension module",
            "
            import _imp
            _imp.create_dynamic(type('S', (), {'name': 'x', 'origin': '/x'})())
            ",
            "threw:ImportError",
        ),
        python(
            "threads",
            "
            import _thread
            _thread.start_new_thread(print, (1,))
            ",
            "threw:RuntimeError",
        ),
        python(
            "threads past the refusal",
            "
            import threading, _thread
            threading._start_joinable_thread(print)
            ",
            "threw:RuntimeError",
        ),
        python(
            "interpreters in the interpreter",
            "
            import _interpreters
            i = _interpreters.create()
            _interpreters.exec(i, 'print(1)')
            ",
            "threw:ModuleNotFoundError",
        ),
        python(
            "sockets past the refusal",
            "
            import _socket
            _socket.socket()
            ",
            "threw:PermissionError",
        ),
        python(
            "files",
            "open('/etc/passwd').read()",
            "threw:FileNotFoundError",
        ),
        python(
            "files past the library",
            "
            import posix
            posix.open('/etc/x', posix.O_RDWR | posix.O_CREAT)
            ",
            "threw:FileNotFoundError",
        ),
        python(
            "a database in a file",
            "
            import sqlite3
            sqlite3.connect('/etc/x').execute('create table a(b)')
            ",
            "threw:OperationalError",
        ),
        python(
            "no builtins",
            "
            import builtins
            vars(builtins).clear()
            ",
            "returned",
        ),
        python(
            "no modules",
            "
            import sys
            for name in list(sys.modules): sys.modules[name] = None
            result = 1
            ",
            "returned",
        ),
        python(
            "print of nothing",
            "
            import builtins, sys
            builtins.print = sys.stdout.write = None
            print(1)
            ",
            "threw:TypeError",
        ),
        python(
            "a class of nothing",
            "
            import builtins
            builtins.__build_class__ = None
            class A: pass
            ",
            "threw:TypeError",
        ),
        python(
            "a profiler that raises",
            "
            import sys
            def p(*a): raise ValueError('profile')
            sys.setprofile(p)
            len([])
            ",
            "threw:ValueError",
        ),
        python(
            "a monitor that raises",
            "
            import sys
            m = sys.monitoring
            m.use_tool_id(0, 'x')
            def f(*a): raise ValueError('monitor')
            m.register_callback(0, m.events.PY_START, f)
            m.set_events(0, m.events.PY_START)
            def g(): pass
            g()
            ",
            "threw:Error",
        ),
        python(
            "an audit that raises",
            "
            import sys
            def hook(*a): raise RuntimeError('audit')
            sys.addaudithook(hook)
            open('x')
            ",
            "threw:RuntimeError",
        ),
        python(
            "garbage that raises",
            "
            import gc
            def f(*a): 1 / 0
            gc.callbacks.append(f)
            gc.collect()
            return 1
            ",
            "returned",
        ),
        python(
            "the methods of int",
            "
            import gc
            gc.get_referents(int.__dict__)[0]['__add__'] = lambda a, b: 7
            return 1 + 1
            ",
            "returned",
        ),
        python(
            "an awaitable that gives junk",
            "
            class A:
                def __await__(self):
                    yield 5
            await A()
            ",
            "threw:RuntimeError",
        ),
        python(
            "a wait that nothing ends",
            "
            import asyncio
            await asyncio.Future()
            ",
            "threw:RuntimeError",
        ),
    ]
}
