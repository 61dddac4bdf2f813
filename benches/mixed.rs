//! `mixed`: what small runs take among large ones, as a service has them: nine small ones to each
//! large one, in random order; beside what they take among themselves before, and again after.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::time::{Duration, Instant};

use ampoule::{Grant, Limits, Script};
use ampoule_benches::{TRIVIAL, TRIVIAL_PYTHON, executor, only_tested, runtime};

/// Small runs before large ones, and after them.
const ALONE: usize = 2000;
/// Runs in random order.
const MIXED: usize = 1500;

/// A language, its small script, and its large ones.
type Language = (&'static str, Script, Vec<Script>);

fn languages() -> [Language; 2] {
    let javascript = [
        "const { rows } = await bench.rows({ count: 10000 }); return rows.filter(row => row.status === 'paid').sort((a, b) => a.amount - b.amount).length",
        "const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(22)",
        "let sum = 0; for (let n = 0; n < 1000; n++) sum += (await bench.echo({ n })).n; return sum",
        // To the limit of its memory, and of its fuel.
        "const kept = []; for (;;) kept.push(new Array(1000).fill(kept.length))",
        "for (;;) {}",
    ];
    let python = [
        "rows = bench.rows(count=10000)['rows']\nlen(sorted((row for row in rows if row['status'] == 'paid'), key=lambda row: row['amount']))",
        "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(20)",
        "sum(bench.echo(n=n)['n'] for n in range(1000))",
        "kept = []\nwhile True:\n    kept.append([len(kept)] * 1000)",
        "while True:\n    pass",
    ];
    [
        (
            "JavaScript",
            Script::javascript(TRIVIAL),
            javascript.map(Script::javascript).to_vec(),
        ),
        (
            "Python",
            Script::python(TRIVIAL_PYTHON),
            python.map(Script::python).to_vec(),
        ),
    ]
}

fn main() {
    let tested = only_tested();
    let executor = executor();
    let limits = Limits {
        fuel: 300_000_000,
        ..Limits::default()
    };
    for (language, small, large) in languages() {
        let runtime = runtime();
        let took = |script: &Script| {
            let run = runtime
                .isolate(script.clone())
                .grant(Grant::all())
                .limits(limits)
                .expect("limits");
            let began = Instant::now();
            let outcome = executor.block_on(run.run()).expect("no host fault");
            (began.elapsed(), outcome.value::<u32>().is_ok())
        };
        let alone = || -> Vec<Duration> {
            let runs = if tested { 2 } else { ALONE };
            let runs = (0..runs).map(|_| took(&small));
            runs.map(|(took, well)| {
                assert!(well);
                took
            })
            .collect()
        };
        alone();
        let before = Figures::of(alone());
        let mut random = Random(1);
        let mut among = Vec::new();
        for _ in 0..if tested { 20 } else { MIXED } {
            if random.below(10) > 0 {
                let (took, well) = took(&small);
                assert!(well);
                among.push(took);
            } else {
                took(&large[random.below(large.len())]);
            }
        }
        let among = Figures::of(among);
        let after = Figures::of(alone());
        println!(
            "{language:10} small runs: {before} among themselves; {among} among large ones ({:.2} ×); {after} after them ({:.2} ×)",
            among.p50 / before.p50,
            after.p50 / before.p50,
        );
    }
}

/// A median, and the 99th percentile, in µs.
struct Figures {
    p50: f64,
    p99: f64,
}

impl Figures {
    fn of(mut took: Vec<Duration>) -> Self {
        took.sort_unstable();
        let at = |percent: usize| took[took.len() * percent / 100].as_secs_f64() * 1e6;
        Self {
            p50: at(50),
            p99: at(99),
        }
    }
}

impl std::fmt::Display for Figures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:.1} µs (p99 {:.0})", self.p50, self.p99)
    }
}

/// The same order each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005) + 1;
        (self.0 >> 33) as usize % most
    }
}
