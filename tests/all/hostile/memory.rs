//! Programs that take memory.

use ampoule::Limits;

use super::{Hostile, hostile, limits};

pub(super) fn programs() -> Vec<Hostile> {
    vec![
        hostile(
            "memory growth",
            "const all = []; for (;;) all.push(new Array(1000).fill(all.length))",
            "limit:memory",
        ),
        hostile(
            "one huge string",
            "let s = 'x'.repeat(1 << 20); for (;;) s += s",
            "threw:InternalError",
        ),
        hostile(
            "one huge array buffer",
            "return new ArrayBuffer(2 ** 31).byteLength",
            "threw:RangeError",
        ),
        hostile(
            "a million small objects",
            "const all = []; for (let i = 0; i < 1e6; i++) all.push({ i, s: 'x' + i }); return all.length",
            "limit:memory",
        ),
        Hostile {
            limits: Limits {
                memory_bytes: 16 << 20,
                ..limits()
            },
            ..hostile(
                "a million small objects in 16 MiB",
                "const all = []; for (let i = 0; i < 1e6; i++) all.push({ i, s: 'x' + i }); return all.length",
                "limit:memory",
            )
        },
    ]
}
