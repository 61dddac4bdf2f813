//! `check`: what it costs to compare a script's calls with its tools before it runs, in a script of ten
//! calls and in one of none, in both languages. The functions answer at once, so that the share of the
//! check is as large as it can be. Ends with an error where a target is missed.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::process::ExitCode;
use std::time::Duration;

use ampoule::{Check, Grant, Runtime, Script};
use ampoule_benches::figures::{Figure, report};
use ampoule_benches::{TRIVIAL, TRIVIAL_PYTHON, checked, executor, medians, only_tested, runtime};

/// How long each pair of figures is measured.
const WINDOW: Duration = Duration::from_secs(10);

/// Ten calls, as a model writes them.
const TEN_CALLS: &str = "const day = await bench.rows({ count: 4 });
const week = await bench.rows({ count: 8 });
const paid = week.rows.filter((row) => row.status === 'paid');
const [first, second] = await Promise.all([bench.echo({ n: 1 }), bench.echo({ n: 2 })]);
const counted = await bench.echo({ n: paid.length });
const sold = await bench.echo({ n: day.rows[0].quantity });
let total = first.n + second.n + counted.n - counted.n + sold.n - sold.n;
for (const options of [{ n: 3 }]) total += (await bench.echo(options)).n;
total += (await bench.echo({ n: 4 })).n;
const last = await bench.echo({ n: 5 });
console.log(`${total + last.n} in all`);
return (await bench.echo({ n: total + last.n })).n";

/// The same in Python.
const TEN_CALLS_PYTHON: &str = "import asyncio
day = await tools.bench.rows(count=4)
week = await tools.bench.rows(count=8)
paid = [row for row in week.rows if row.status == 'paid']
first, second = await asyncio.gather(tools.bench.echo(n=1), tools.bench.echo(n=2))
counted = await tools.bench.echo(n=len(paid))
sold = await tools.bench.echo(n=day.rows[0].quantity)
total = first.n + second.n + counted.n - counted.n + sold.n - sold.n
for options in [{'n': 3}]:
    total += (await tools.bench.echo(**options)).n
total += (await tools.bench.echo(n=4)).n
last = await tools.bench.echo(n=5)
print(f'{total + last.n} in all')
(await tools.bench.echo(n=total + last.n)).n";

/// A script, and what it returns.
struct Measured {
    name: &'static str,
    script: Script,
    value: u32,
    /// At most so many times the time of the same script that is not checked.
    target: f64,
}

fn all() -> [Measured; 4] {
    let of = |name, script, value, target| Measured {
        name,
        script,
        value,
        target,
    };
    [
        of(
            "ten calls in TypeScript, checked / not checked",
            Script::typescript(TEN_CALLS),
            15,
            1.05,
        ),
        of(
            "ten calls in Python, checked / not checked",
            Script::python(TEN_CALLS_PYTHON),
            15,
            1.05,
        ),
        // Nothing is done for these: what is left is the noise of the machine.
        of(
            "no call in TypeScript, checked / not checked",
            Script::typescript(TRIVIAL),
            2,
            1.02,
        ),
        of(
            "no call in Python, checked / not checked",
            Script::python(TRIVIAL_PYTHON),
            2,
            1.02,
        ),
    ]
}

async fn run(runtime: &Runtime, of: &Measured, check: Check) {
    let script = of.script.clone().check(check);
    let outcome = runtime.isolate(script).grant(Grant::all()).run().await;
    assert_eq!(checked(outcome), of.value, "{}", of.name);
}

fn main() -> ExitCode {
    let (runtime, executor) = (runtime(), executor());
    let window = match only_tested() {
        true => Duration::ZERO,
        false => WINDOW,
    };
    let figures = all().map(|of| {
        let (first, off) = medians(
            &executor,
            window,
            || run(&runtime, &of, Check::First),
            || run(&runtime, &of, Check::Off),
        );
        println!("{}: {first:.1} µs / {off:.1} µs", of.name);
        Figure::at_most(of.name, first / off, of.target)
    });
    match only_tested() {
        true => ExitCode::SUCCESS,
        false => report(figures),
    }
}
