//! Programs that compute without end.

use std::time::Duration;

use ampoule::Limits;

use super::{Hostile, hostile, limits};

pub(super) fn programs() -> Vec<Hostile> {
    let quick = Limits {
        fuel: 500_000_000,
        ..limits()
    };
    vec![
        Hostile {
            limits: quick,
            ..hostile("endless loop", "for (;;);", "limit:fuel")
        },
        hostile(
            "endless promise chain",
            "const next = () => Promise.resolve().then(next); await next()",
            // Each promise of the chain waits for the next, so the chain grows.
            "limit:memory",
        ),
        hostile(
            "endless recursion of microtasks",
            "(function f() { queueMicrotask(f) })(); await new Promise(() => {})",
            "limit:fuel",
        ),
        Hostile {
            limits: Limits {
                wall_time: Duration::from_millis(500),
                ..limits()
            },
            ..hostile(
                "endless timers",
                "setInterval(() => {}, 1); await new Promise(() => {})",
                "limit:wall-time",
            )
        },
        hostile(
            "catastrophic regular expression",
            "return /^(a+)+$/.test('a'.repeat(64) + 'b')",
            "limit:fuel",
        ),
        hostile(
            "a getter that loops",
            "return { get x() { for (;;); } }",
            "limit:fuel",
        ),
        hostile(
            "a toString that loops",
            "console.log({ toString() { for (;;); } } + '')",
            "limit:fuel",
        ),
    ]
}
