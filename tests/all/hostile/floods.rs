//! Programs that flood the host: output, calls, arguments, results, timers.

use std::time::Duration;

use ampoule::Limits;

use super::{Hostile, hostile, limits};

pub(super) fn programs() -> Vec<Hostile> {
    let allowed = Limits {
        memory_bytes: 1 << 30,
        ..limits()
    };
    vec![
        hostile(
            "output flood",
            "for (;;) console.log('x'.repeat(1000))",
            "limit:output-bytes",
        ),
        hostile(
            "one line too long",
            "console.log('x'.repeat(5e6))",
            "limit:output-bytes",
        ),
        hostile(
            "a result too long",
            "return 'x'.repeat(5e6)",
            "limit:output-bytes",
        ),
        hostile(
            "100,000 calls at once",
            "await Promise.all(Array.from({ length: 100000 }, () => tools.testTools.hang({})))",
            "limit:calls",
        ),
        hostile(
            "100,000 calls one by one",
            "for (let i = 0; i < 100000; i++) await tools.testTools.add({ a: i, b: 1 })",
            "limit:calls",
        ),
        Hostile {
            limits: allowed,
            ..hostile(
                "60 MB of arguments",
                "await tools.testTools.echo({ value: 'x'.repeat(60e6) })",
                "limit:argument-bytes",
            )
        },
        Hostile {
            limits: allowed,
            // More than the host may hold is not looked at any further.
            ..hostile(
                "100 MB of arguments",
                "await tools.testTools.echo({ value: 'x'.repeat(100e6) })",
                "limit:host-bytes",
            )
        },
        Hostile {
            limits: allowed,
            ..hostile(
                "a result of 100 MB",
                "await tools.testTools.text({ bytes: 100e6 })",
                "limit:result-bytes",
            )
        },
        Hostile {
            limits: Limits {
                calls_at_once: 8,
                ..allowed
            },
            ..hostile(
                "many large results at once",
                "await Promise.all(Array.from({ length: 8 }, () => tools.testTools.text({ bytes: 10e6 })))",
                "limit:host-bytes",
            )
        },
        Hostile {
            limits: Limits {
                wall_time: Duration::from_millis(300),
                ..limits()
            },
            ..hostile(
                "a tool that never answers",
                "console.log('before'); await tools.testTools.hang({})",
                "limit:wall-time",
            )
        },
        hostile(
            "a tool that answers after the end",
            "tools.testTools.sleep({ ms: 200 }); return 'done'",
            "returned",
        ),
        hostile(
            "a million timers",
            "for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e6); return 1",
            "limit:memory",
        ),
    ]
}
