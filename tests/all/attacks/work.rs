//! The host's own work for a run: bounded, paid for, cut off by the run's time, and in nobody's
//! way.

use std::time::{Duration, Instant};

use ampoule::{Functions, Grant, Limits, Outcome, Runtime, Script, executor};
use ampoule_projection::Tool;
use ampoule_tests::binding::{Stub, tool};
use ampoule_tests::{runtime_builder, verdict};
use serde_json::{Value, json};

/// How much later than its wall time a run may end.
const LATE: Duration = Duration::from_millis(10);
/// The same of a run whose 60 MB are filled, and given back to the system: both take as long as the
/// machine's memory does, and on two busy cores that alone is more than [`LATE`].
const LATE_WITH_MUCH_MEMORY: Duration = Duration::from_millis(30);
/// How often something is tried that other processes of a busy machine may disturb.
const TRIES: usize = 8;

/// A server whose tools have these schemas.
fn server(name: &str, tools: impl IntoIterator<Item = (String, Value)>) -> Stub {
    let tool = |(name, schema): (String, Value)| Tool {
        description: Some("Does what is done.".to_owned()),
        ..tool(&name, schema)
    };
    Stub::new(name, tools.into_iter().map(tool).collect::<Vec<_>>())
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|index| format!("n{index}")).collect()
}

fn properties(count: usize) -> Value {
    let properties = names(count).into_iter();
    Value::Object(properties.map(|name| (name, json!({}))).collect())
}

/// Tools with schemas that make work, a server with thousands of tools, and many servers.
fn runtime() -> Runtime {
    let rows = |items: Value| json!({ "type": "object", "properties": { "a": { "type": "array", "items": items } } });
    let hostile = [
        (
            "required",
            rows(json!({ "type": "object", "required": names(500) })),
        ),
        (
            "choice",
            rows(
                json!({ "anyOf": [{ "type": "object", "required": names(500) }, { "type": "object", "required": names(400) }] }),
            ),
        ),
        (
            "whole",
            json!({ "properties": { "a": { "anyOf": [{ "type": "array", "items": { "required": names(400) } }, { "type": "array", "items": { "required": names(500) }, "maxItems": 3 }, { "type": "string" }] } } }),
        ),
        ("patterns", json!({ "patternProperties": properties(900) })),
        (
            "wide",
            json!({ "type": "object", "properties": properties(100_000), "required": names(100_000) }),
        ),
    ];
    let hostile = hostile.map(|(name, schema)| (name.to_owned(), schema));
    let many = (0..5_000).map(|index| {
        (
            format!("thing{index}_of_word{}", index * 7919 % 65_536),
            json!({ "type": "object" }),
        )
    });
    let mut builder = runtime_builder()
        .ceilings(Limits {
            memory_bytes: 512 << 20,
            ..Limits::default_ceilings()
        })
        .binding(server("hostile", hostile))
        .binding(server("many", many));
    for index in 0..20 {
        builder = builder.binding(Functions::new(format!("server-{index}")));
    }
    builder.build().expect("a runtime")
}

fn limits(wall_time: Duration) -> Limits {
    Limits {
        wall_time,
        ..Limits::default()
    }
}

/// Runs a script as a server does: on a thread of Tokio's, beside others.
async fn run(runtime: &Runtime, script: Script, limits: Limits) -> Outcome {
    let isolate = runtime.isolate(script).grant(Grant::all());
    let isolate = isolate.limits(limits).expect("limits below the ceilings");
    let ran = tokio::spawn(isolate.run()).await.expect("no panic");
    ran.expect("no host fault")
}

/// Scripts that have the host compute all the time, one for each thing that they may ask it.
fn busy() -> Vec<(&'static str, Script)> {
    let javascript = [
        (
            "a name of dots",
            "for (;;) try { tools.$describe('ab.'.repeat(1300)) } catch {}",
        ),
        (
            "an unknown tool",
            "for (;;) try { tools.$describe('many.thing_of_nothing_that_is') } catch {}",
        ),
        (
            "an unknown name",
            "for (;;) try { tools.$describe('thing_of_nothing_that_is') } catch {}",
        ),
        (
            "misspelt words",
            "const words = Array.from({ length: 60 }, (_, n) => 'wrd' + n + 'xz').join(' '); for (;;) tools.$search(words)",
        ),
        ("all tools", "for (;;) tools.$search('', { limit: 100000 })"),
        ("a declaration", "for (;;) tools.$describe('hostile.wide')"),
        (
            "a failing check",
            "const a = Array.from({ length: 9900 }, () => ({})); for (;;) try { await tools.hostile.required({ a }) } catch {}",
        ),
        (
            "failing checks at once",
            "const a = Array.from({ length: 9900 }, () => ({})); for (;;) await Promise.allSettled(Array.from({ length: 8 }, () => tools.hostile.choice({ a })))",
        ),
        (
            "patterns",
            "const all = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => ['x' + n, n])); for (;;) await tools.hostile.patterns(all)",
        ),
        (
            "large arguments",
            "const a = Array.from({ length: 200000 }, (_, n) => n); for (;;) try { await tools.hostile.required({ a }) } catch {}",
        ),
        (
            "random bytes",
            "for (;;) crypto.getRandomValues(new Uint8Array(65536))",
        ),
        ("clocks", "for (;;) performance.now()"),
        (
            "timers",
            "for (;;) await new Promise((done) => setTimeout(done, 0))",
        ),
        ("nothing", "for (;;);"),
        (
            "bulk memory",
            "const bytes = new Uint8Array(6e7); for (let n = 0; ; n++) bytes.fill(n)",
        ),
    ];
    let python = [
        (
            "parameters",
            "while True:\n  try: await tools.hostile.wide(1)\n  except Exception: pass",
        ),
        ("nothing, in Python", "while True: pass"),
    ];
    let javascript = javascript.map(|(name, source)| (name, Script::javascript(source)));
    let python = python.map(|(name, source)| (name, Script::python(source)));
    javascript.into_iter().chain(python).collect()
}

/// The most memory that this process ever had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("/proc");
    let kibibytes = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:")?.strip_suffix("kB"))
        .and_then(|number| number.trim().parse::<u64>().ok());
    kibibytes.expect("a number of KiB") << 10
}

/// H1: a schema of some kilobytes and arguments of some more made gigabytes of errors.
#[test]
fn what_is_wrong_with_arguments_is_told_in_little_memory() {
    let runtime = runtime();
    executor().expect("Tokio").block_on(async {
        let script = |tool| {
            let source = format!(
                "await tools.hostile.{tool}({{ a: Array.from({{ length: 9900 }}, () => ({{}})) }})"
            );
            run(
                &runtime,
                Script::javascript(source),
                limits(Duration::from_secs(30)),
            )
        };
        drop(runtime.warm(ampoule::Language::JavaScript).await);
        let before = peak();
        for (tool, told) in [
            (
                "required",
                "`a[0].n0` is missing; and there are more problems",
            ),
            ("choice", "for the closest, `a[0].n0` is missing; "),
            (
                "whole",
                "do not fit the tool's schema, and are too large to tell where",
            ),
        ] {
            let outcome = script(tool).await;
            let ending = outcome.ending.to_string();
            assert!(ending.contains(told), "{tool}: {ending}");
        }
        let grown = peak().saturating_sub(before);
        assert!(grown < 256 << 20, "{} MiB", grown >> 20);
    });
}

/// H1, H3, H4, M5: a run ends in time whatever it does.
#[test]
fn a_run_ends_in_time_whatever_the_host_does_for_it() {
    let runtime = runtime();
    executor().expect("Tokio").block_on(async {
        for (name, script) in busy() {
            let late = match name {
                "bulk memory" => LATE_WITH_MUCH_MEMORY,
                _ => LATE,
            };
            // Compiles what is compiled once.
            run(&runtime, script.clone(), limits(Duration::from_millis(20))).await;
            let mut latest = Vec::new();
            for _ in 0..TRIES {
                let allowed = Duration::from_millis(100);
                let outcome = run(&runtime, script.clone(), limits(allowed)).await;
                assert_eq!(
                    verdict(&outcome),
                    "limit:wall-time",
                    "{name}: {}",
                    outcome.ending
                );
                latest.push(outcome.usage.wall_time - allowed);
                if latest.last() <= Some(&late) {
                    break;
                }
            }
            assert!(
                latest.last() <= Some(&late),
                "{name} ended late: {latest:?}"
            );
        }
    });
}

/// How long this process computed: other processes of a busy machine do not count.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.try_into().expect("a time that is not negative")
}

/// H3: what the host computes is paid for, so a script can't have more of it than of its own
/// computing.
#[test]
fn what_the_host_computes_is_paid_with_fuel() {
    let runtime = runtime();
    executor().expect("Tokio").block_on(async {
        for (name, script) in busy() {
            if name == "timers" {
                // Waiting is free.
                continue;
            }
            let limits = Limits {
                fuel: 125_000_000,
                ..limits(Duration::from_secs(600))
            };
            let before = processor_time();
            let outcome = run(&runtime, script, limits).await;
            assert_eq!(
                verdict(&outcome),
                "limit:fuel",
                "{name}: {}",
                outcome.ending
            );
            assert_eq!(outcome.usage.fuel, limits.fuel, "{name}");
            // A fraction of a second's worth, without optimisation.
            let took = processor_time() - before;
            assert!(took < Duration::from_secs(10), "{name} took {took:?}");
        }
    });
}

/// What a script spends in a step: whether it takes one depends on whether a call that is carried
/// out elsewhere has ended by the time that the script looks.
const STEP: u64 = 2_000;

/// What a run costs is the same each time, the host's part included.
#[test]
fn fuel_is_exact() {
    let runtime = runtime();
    let source = "tools.$search('thng of wrd7', { limit: 5 }); try { tools.$describe('many.nothing') } catch {}
        try { await tools.hostile.required({ a: Array.from({ length: 300 }, () => ({})) }) } catch {} return tools.$describe('hostile.wide').length";
    executor().expect("Tokio").block_on(async {
        let mut fuel = Vec::new();
        for _ in 0..2 {
            let script = Script::javascript(source);
            let outcome = run(&runtime, script, limits(Duration::from_secs(60))).await;
            assert_eq!(verdict(&outcome), "returned", "{}", outcome.ending);
            fuel.push(outcome.usage.fuel);
        }
        let (least, most) = (fuel.iter().min().unwrap(), fuel.iter().max().unwrap());
        assert!(
            most - least <= STEP,
            "the first run pays as others do: {fuel:?}"
        );
        assert!(fuel[0] > 32 * 1_000_000, "{} units", fuel[0]);
    });
}

/// M5: what arrives does not wait for those that compute.
#[test]
fn timers_are_in_time_while_others_compute() {
    let runtime = runtime();
    executor().expect("Tokio").block_on(async {
        drop(runtime.warm(ampoule::Language::JavaScript).await);
        let loops: Vec<_> = (0..8)
            .map(|_| {
                let isolate = runtime.isolate(Script::javascript("for (;;);"));
                tokio::spawn(isolate.run())
            })
            .collect();
        let measured = tokio::spawn(async {
            let mut late = Vec::new();
            for _ in 0..100 {
                let pause = Duration::from_micros(3_300);
                let started = Instant::now();
                tokio::time::sleep(pause).await;
                late.push(started.elapsed() - pause);
            }
            late.sort();
            late
        });
        let late = measured.await.expect("no panic");
        loops.iter().for_each(tokio::task::JoinHandle::abort);
        // Other processes may take the cores as well; a quarter of the time they do not.
        assert!(late[25] < Duration::from_millis(6), "{late:?}");
    });
}

/// L5: fuel was lost that a function keeps count of in its own loop.
#[test]
fn fuel_is_told_where_time_ends_a_loop() {
    let runtime = runtime();
    executor().expect("Tokio").block_on(async {
        for script in [
            Script::python("while True: pass"),
            Script::javascript("for (;;);"),
        ] {
            let outcome = run(&runtime, script, limits(Duration::from_millis(500))).await;
            assert_eq!(verdict(&outcome), "limit:wall-time");
            // Half a second's worth is about a billion.
            assert!(outcome.usage.fuel > 50_000_000, "{}", outcome.usage.fuel);
        }
    });
}

/// How scripts end where the host may hold so many bytes of them.
fn ended(scripts: [Script; 2], host_bytes: u64) -> [Outcome; 2] {
    let runtime = runtime();
    let limits = Limits {
        memory_bytes: 512 << 20,
        host_bytes,
        ..limits(Duration::from_secs(60))
    };
    let run = |script| {
        let ran = run(&runtime, script, limits);
        executor().expect("Tokio").block_on(ran)
    };
    scripts.map(run)
}

/// L11: what a script returns is looked at before it is copied.
#[test]
fn what_is_too_long_to_return_is_not_copied_out_of_the_guest() {
    let scripts = [
        Script::javascript("return 'x'.repeat(5e7)"),
        Script::python("'x' * 50_000_000"),
    ];
    for outcome in ended(scripts, 8 << 20) {
        assert_eq!(verdict(&outcome), "limit:host-bytes");
        assert_eq!(outcome.usage.output_bytes, 0);
    }
}

/// L11: what it throws is cut by the interpreter, and looked at as well.
#[test]
fn what_is_too_long_to_throw_is_cut_before_it_is_copied_out_of_the_guest() {
    let scripts = || {
        [
            Script::javascript("throw new Error('x'.repeat(5e7))"),
            Script::python("raise ValueError('x' * 50_000_000)"),
        ]
    };
    let threw = ["threw:Error", "threw:ValueError"];
    for (outcome, threw) in ended(scripts(), 8 << 20).into_iter().zip(threw) {
        assert_eq!(verdict(&outcome), threw);
        let (told, held) = (outcome.usage.output_bytes, outcome.usage.peak_host_bytes);
        assert!((8 << 10..20 << 10).contains(&told), "{threw}: {told} bytes");
        assert!(held < 64 << 10, "{threw}: {held} bytes");
    }
    for outcome in ended(scripts(), 4 << 10) {
        assert_eq!(verdict(&outcome), "limit:host-bytes");
    }
}
