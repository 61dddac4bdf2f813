//! Python that recurses, also inside of C, and values that are deep.

use super::{Hostile, python};

/// A program that does something with a deep list.
fn of_what_is_deep(name: &'static str, used: &str, verdict: &'static str) -> Hostile {
    let source = format!("a = []\nfor _ in range(10 ** 5):\n    a = [a]\n{used}");
    python(name, &source, verdict)
}

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        python(
            "deep recursion",
            "
            def f():
                return 1 + f()
            f()
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion, caught",
            "
            n = 0
            def f():
                global n
                n += 1
                f()
            try:
                f()
            except RecursionError:
                pass
            n > 100
            ",
            "returned",
        ),
        python(
            "deep recursion with the limit lifted",
            "
            import sys
            sys.setrecursionlimit(10 ** 9)
            def f():
                return 1 + f()
            f()
            ",
            "limit:stack",
        ),
        python(
            "deep recursion of __getattr__ with the limit lifted",
            "
            import sys
            sys.setrecursionlimit(10 ** 9)
            class A:
                def __getattr__(self, name):
                    return getattr(self, name + 'x')
            A().y
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of __eq__",
            "
            class A:
                def __eq__(self, other):
                    return self == other
            A() == A()
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of __eq__ with the limit lifted",
            "
            import sys
            sys.setrecursionlimit(10 ** 9)
            class A:
                def __eq__(self, other):
                    return self == other
            A() == A()
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of __str__ with the limit lifted",
            "
            import sys
            sys.setrecursionlimit(10**9)
            class A:
                def __str__(self): return str(self)
            str(A())
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of __hash__ with the limit lifted",
            "
            import sys
            sys.setrecursionlimit(10**9)
            class A:
                def __hash__(self): return hash(self)
            {A(): 1}
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of __del__",
            "
            class A:
                def __del__(self):
                    self.__del__()
            A()
            return 1
            ",
            "returned",
        ),
        python(
            "finalisers that make what has finalisers",
            "
            class A:
                def __del__(self):
                    A()
            A()
            return 1
            ",
            "limit:fuel",
        ),
        python(
            "deep recursion of descriptors",
            "
            class D:
                def __get__(self, o, t): return o.x
            class A:
                x = D()
            A().x
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion through sorted",
            "
            def k(x): return sorted([1, 2], key=k)
            k(1)
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion through re.sub",
            "
            import re
            def r(m): return re.sub('a', r, 'a')
            re.sub('a', r, 'a')
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of imports",
            "
            import sys, builtins
            def imp(*a, **k): return __import__('x')
            builtins.__import__ = imp
            import zzz
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of coroutines",
            "
            async def f(n):
                return await f(n + 1)
            await f(0)
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of generators",
            "
            def g(n):
                if n: yield from g(n - 1)
                else: yield 1
            list(g(10**5))
            ",
            "threw:RecursionError",
        ),
        python(
            "deep recursion of asyncio.run",
            "
            import asyncio
            async def f():
                asyncio.run(f())
            await f()
            ",
            "threw:RecursionError",
        ),
        python(
            "recursion that begins anew when it ends",
            "
            def f():
                try:
                    f()
                except RecursionError:
                    f()
            f()
            ",
            "limit:fuel",
        ),
        python(
            "a long linked list that is freed",
            "
            class Node:
                def __init__(self, next): self.next = next
            a = None
            for _ in range(200_000): a = Node(a)
            a = None
            return 1
            ",
            "returned",
        ),
        of_what_is_deep("repr of what is deep", "repr(a)", "threw:RecursionError"),
        of_what_is_deep("print of what is deep", "print(a)", "threw:RecursionError"),
        python(
            "== of what is deep",
            "
            import sys
            sys.setrecursionlimit(10**9)
            a = b = []
            for _ in range(10 ** 5):
                a, b = [a], [b]
            a == b
            ",
            "threw:RecursionError",
        ),
        python(
            "hash of what is deep",
            "
            import sys
            sys.setrecursionlimit(10**9)
            a = ()
            for _ in range(10 ** 5):
                a = (a,)
            hash(a)
            ",
            "limit:stack",
        ),
        python(
            "isinstance of what is deep",
            "
            t = int
            for _ in range(10**5):
                t = (t,)
            isinstance('x', t)
            ",
            "limit:stack",
        ),
        python(
            "a chain of iterators",
            "
            i = iter([1])
            for _ in range(10 ** 5):
                i = map(int, i)
            list(i)
            ",
            "limit:stack",
        ),
        of_what_is_deep(
            "copy.deepcopy of what is deep",
            "import copy; copy.deepcopy(a)",
            "threw:RecursionError",
        ),
        python(
            "deep JSON in",
            "
            import json
            json.loads('[' * 100000 + ']' * 100000)
            ",
            "threw:RecursionError",
        ),
        of_what_is_deep(
            "deep JSON out",
            "import json; json.dumps(a)",
            "threw:RecursionError",
        ),
        of_what_is_deep("a deep result", "return a", "threw:ValueError"),
        of_what_is_deep(
            "a deep argument",
            "await test_tools.echo(value=a)",
            "threw:ValueError",
        ),
        python(
            "a result that holds itself",
            "
            a = []
            a.append(a)
            return a
            ",
            "threw:ValueError",
        ),
        of_what_is_deep(
            "a deep pickle out",
            "import pickle; pickle.dumps(a)",
            "threw:RecursionError",
        ),
        python(
            "a deep pickle in",
            "
            import pickle
            pickle.loads(b'(' * 10**6 + b'l' * 10**6 + b'.')
            ",
            "limit:stack",
        ),
        python(
            "deep marshal",
            r"
            import marshal
            marshal.loads(b'[\x01\x00\x00\x00' * 10**5 + b'N')
            ",
            "threw:ValueError",
        ),
        python(
            "a deep regular expression",
            "
            import re
            re.compile('(' * 100000 + ')' * 100000)
            ",
            "threw:RecursionError",
        ),
        python(
            "deep XML",
            "
            import xml.etree.ElementTree as E
            E.fromstring('<a>' * 100000 + '</a>' * 100000)
            ",
            "limit:stack",
        ),
        python(
            "XML whose entities multiply",
            r#"
            import xml.etree.ElementTree as E
            E.fromstring('<!DOCTYPE l [<!ENTITY a "aaaaaaaaaa">' + ''.join(f'<!ENTITY {chr(98+i)} "{("&" + chr(97+i) + ";") * 10}">' for i in range(9)) + ']><l>&j;</l>')
            "#,
            "threw:ParseError",
        ),
    ]
}
