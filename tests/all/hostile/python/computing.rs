//! Python that computes without end, also inside of C.

use super::{Hostile, python, python_briefly};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        python("endless loop", "
            while True:
                pass
            ", "limit:fuel"),
        python("endless loop in C", "
            import itertools
            sum(itertools.count())
            ", "limit:fuel"),
        python("a deque that takes in what has no end", "
            import collections, itertools
            collections.deque(itertools.repeat(0), maxlen=0)
            ", "limit:fuel"),
        python("any() of what has no end", "
            import itertools
            any(itertools.repeat(False))
            ", "limit:fuel"),
        python("a loop that catches everything", "
            while True:
                try:
                    while True: pass
                except BaseException: pass
            ", "limit:fuel"),
        python("finally that begins anew", "
            def f():
                try: f()
                finally: f()
            f()
            ", "limit:fuel"),
        python("10 ** 10 ** 10", "x = 10 ** 10 ** 10", "limit:fuel"),
        python("powers of long integers", "print(pow(3, 10 ** 200000, 10 ** 200000 + 7) % 10)", "limit:fuel"),
        python("products of integers of ten million digits", "
            n = 1 << 33_000_000
            while True:
                n * n % 7
            ", "limit:fuel"),
        python("ten million digits as text, with the limit lifted", "
            import sys
            sys.set_int_max_str_digits(0)
            len(str(1 << 33_000_000))
            ", "limit:fuel"),
        python("ten million digits as text", "str(1 << 33_000_000)", "threw:ValueError"),
        python("ten million digits as the result", "return 1 << 33_000_000", "threw:ValueError"),
        python("ten million digits as an argument", "await test_tools.echo(value=1 << 33_000_000)", "threw:ValueError"),
        python("ten million digits as a number", "return int('9' * 10_000_000)", "threw:ValueError"),
        python("a factorial", "
            import math
            math.factorial(10 ** 7)
            ", "limit:fuel"),
        python("a power of decimals", "
            from decimal import *
            getcontext().prec = MAX_PREC
            getcontext().Emax = MAX_EMAX
            Decimal(7) ** Decimal(10 ** 9)
            ", "limit:fuel"),
        python("fractions that grow", "
            from fractions import Fraction
            x = Fraction(1, 3)
            while True:
                x = x * x + 1
            ", "limit:fuel"),
        python("catastrophic regular expression", "
            import re
            re.match(r'(a+)+$', 'a' * 64 + 'b')
            ", "limit:fuel"),
        python("a set whose members all collide", "
            d = {(i << 61) - i: 0 for i in range(1)}
            class H:
                def __hash__(self): return 1
                def __eq__(self, o): return False
            s = set()
            while True: s.add(H())
            ", "limit:fuel"),
        python("a query without end", "
            import sqlite3
            list(sqlite3.connect(':memory:').execute('with recursive c(n) as (select 1 union all select n+1 from c) select count(*) from c'))
            ", "limit:fuel"),
        python("tasks without end", "
            import asyncio
            async def f():
                while True:
                    await asyncio.sleep(0)
            await f()
            ", "limit:fuel"),
        python("callbacks without end", "
            import asyncio
            loop = asyncio.get_running_loop()
            def again(): loop.call_soon(again)
            again()
            await asyncio.Future()
            ", "limit:fuel"),
        python_briefly("timers without end", "
            import asyncio
            loop = asyncio.get_running_loop()
            def again(): loop.call_later(0.001, again)
            again()
            await asyncio.Future()
            ", "limit:wall-time"),
        python_briefly("a sleep", "
            import time
            time.sleep(10 ** 6)
            ", "limit:wall-time"),
        python("a task that can not be cancelled", "
            import asyncio
            async def f():
                while True:
                    try:
                        await asyncio.sleep(0)
                    except BaseException: pass
            asyncio.create_task(f())
            await asyncio.sleep(0)
            return 1
            ", "returned"),
        python("a finaliser that loops", "
            class A:
                def __del__(self):
                    while True: pass
            A()
            return 1
            ", "limit:fuel"),
        python("a result whose iterator loops", "
            class A:
                @property
                def x(self):
                    while True: pass
                def __init__(self): self.y = 1
                def __iter__(self):
                    while True: yield 1
            return A()
            ", "limit:fuel"),
        python("an awaitable that never ends", "
            class A:
                def __await__(self):
                    while True: yield
            return A()
            ", "limit:fuel"),
        python("collecting garbage without end", "
            import gc
            while True: gc.collect()
            ", "limit:fuel"),
    ]
}
