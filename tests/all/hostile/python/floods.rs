//! Python that floods the host: output, calls, arguments, results.

use ampoule::Limits;

use super::{Hostile, limits, python, python_briefly};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        python(
            "output flood",
            "
            while True:
                print('x' * 1000)
            ",
            "limit:output-bytes",
        ),
        python(
            "output flood without line ends",
            "
            while True:
                print('x' * 100, end='')
            ",
            "limit:output-bytes",
        ),
        python(
            "output flood to standard error",
            "
            import sys
            while True:
                sys.stderr.write('x' * 1000)
            ",
            "limit:output-bytes",
        ),
        python(
            "output flood of logging",
            "
            import logging
            while True:
                logging.warning('x' * 1000)
            ",
            "limit:output-bytes",
        ),
        python(
            "output flood of warnings",
            "
            import warnings
            n = 0
            while True:
                n += 1
                warnings.warn('x' * 1000 + str(n))
            ",
            "limit:output-bytes",
        ),
        python(
            "output flood to a file descriptor",
            "
            import os
            while True:
                os.write(1, b'x' * 1000)
            ",
            "limit:output-bytes",
        ),
        python(
            "output flood past the streams",
            "
            import _ampoule
            while True:
                _ampoule.write(4, 'x' * 1000)
            ",
            "limit:output-bytes",
        ),
        python(
            "one line too long",
            "print('x' * 5_000_000)",
            "limit:output-bytes",
        ),
        python(
            "a result too long",
            "return 'x' * 5_000_000",
            "limit:output-bytes",
        ),
        python(
            "an error too long",
            "raise ValueError('x' * 20_000_000)",
            "threw:ValueError",
        ),
        python(
            "100,000 calls at once",
            "
            import asyncio
            await asyncio.gather(*(test_tools.hang() for _ in range(100_000)))
            ",
            "limit:calls",
        ),
        python(
            "calls one by one",
            "
            n = 0
            while True:
                n = (await test_tools.add(a=n, b=1)).sum
            ",
            "limit:calls",
        ),
        python(
            "long arguments",
            "await test_tools.echo(value='x' * 5_000_000)",
            "limit:argument-bytes",
        ),
        python(
            "a long result of a tool",
            "await test_tools.text(bytes=20_000_000)",
            "limit:result-bytes",
        ),
        python_briefly(
            "a tool that never answers",
            "
            print('before')
            await test_tools.hang()
            ",
            "limit:wall-time",
        ),
        python_briefly(
            "a tool that never answers, in synchronous code",
            "test_tools.hang().result()",
            "limit:wall-time",
        ),
        python(
            "a tool that answers after the end",
            "
            call = test_tools.sleep(ms=200)
            return 'done'
            ",
            "returned",
        ),
        Hostile {
            // A search is the host's work, which takes a minute of a host that is not optimised
            // until the usual fuel is used.
            limits: Limits {
                fuel: 2_000_000_000,
                ..limits()
            },
            ..python(
                "searches without end",
                "
                while True:
                    tools.search('x' * 10000)
                ",
                "limit:fuel",
            )
        },
    ]
}
