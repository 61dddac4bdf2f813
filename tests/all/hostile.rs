//! Hostile programs, each with its verdict. After each, the same process runs the next script correctly, and its memory is where it was.

use std::time::{Duration, Instant};

use ampoule::isolate::Limits;
use ampoule_tests::{run_limited, runtime, value, verdict};

/// A program, the limits that it runs under, and how it must end.
struct Hostile {
    name: &'static str,
    source: String,
    limits: Limits,
    verdicts: &'static [&'static str],
}

/// Short enough for a test, and long enough for a slow machine to get somewhere.
fn limits() -> Limits {
    Limits {
        wall_time: Duration::from_secs(30),
        memory_bytes: 32 << 20,
        ..Limits::default()
    }
}

fn hostile(
    name: &'static str,
    source: impl Into<String>,
    verdicts: &'static [&'static str],
) -> Hostile {
    Hostile {
        name,
        source: source.into(),
        limits: limits(),
        verdicts,
    }
}

fn nested(open: &str, close: &str) -> String {
    format!("{}1{}", open.repeat(100_000), close.repeat(100_000))
}

fn computing() -> Vec<Hostile> {
    let quick = Limits {
        fuel: 500_000_000,
        ..limits()
    };
    vec![
        Hostile {
            limits: quick,
            ..hostile("endless loop", "for (;;);", &["limit:fuel"])
        },
        hostile(
            "endless promise chain",
            "const next = () => Promise.resolve().then(next); await next()",
            // Each promise of the chain waits for the next, so the chain grows.
            &["limit:memory", "limit:fuel"],
        ),
        hostile(
            "endless recursion of microtasks",
            "(function f() { queueMicrotask(f) })(); await new Promise(() => {})",
            &["limit:fuel"],
        ),
        Hostile {
            limits: Limits {
                wall_time: Duration::from_millis(500),
                ..limits()
            },
            ..hostile(
                "endless timers",
                "setInterval(() => {}, 1); await new Promise(() => {})",
                &["limit:wall-time"],
            )
        },
        hostile(
            "catastrophic regular expression",
            "return /^(a+)+$/.test('a'.repeat(64) + 'b')",
            &["limit:fuel"],
        ),
        hostile(
            "a getter that loops",
            "return { get x() { for (;;); } }",
            &["limit:fuel"],
        ),
        hostile(
            "a toString that loops",
            "console.log({ toString() { for (;;); } } + '')",
            &["limit:fuel"],
        ),
    ]
}

fn memory() -> Vec<Hostile> {
    vec![
        hostile(
            "memory growth",
            "const all = []; for (;;) all.push(new Array(1000).fill(all.length))",
            &["limit:memory"],
        ),
        hostile(
            "one huge string",
            "let s = 'x'.repeat(1 << 20); for (;;) s += s",
            &["limit:memory", "threw:InternalError"],
        ),
        hostile(
            "one huge array buffer",
            "return new ArrayBuffer(2 ** 31).byteLength",
            &["limit:memory", "threw:RangeError"],
        ),
        hostile(
            "a million small objects",
            "const all = []; for (let i = 0; i < 1e6; i++) all.push({ i, s: 'x' + i }); return all.length",
            &["limit:memory", "returned"],
        ),
        Hostile {
            limits: Limits {
                memory_bytes: 16 << 20,
                ..limits()
            },
            ..hostile(
                "a million small objects in 16 MiB",
                "const all = []; for (let i = 0; i < 1e6; i++) all.push({ i, s: 'x' + i }); return all.length",
                &["limit:memory"],
            )
        },
    ]
}

fn recursion() -> Vec<Hostile> {
    vec![
        hostile(
            "deep recursion",
            "const f = () => 1 + f(); return f()",
            &["threw:RangeError"],
        ),
        hostile(
            "deep recursion, caught",
            "let n = 0; const f = () => { n++; f() }; try { f() } catch (e) { return e instanceof RangeError && n > 100 }",
            &["returned"],
        ),
        hostile(
            "deep recursion of getters",
            "const o = { get x() { return this.x } }; return o.x",
            &["threw:RangeError"],
        ),
        hostile(
            "deep recursion of proxies",
            "let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x",
            &["threw:RangeError"],
        ),
        hostile(
            "deep recursion of toString",
            "let a = []; a[0] = { toString: () => String(a) }; return '' + { toString() { return '' + this } }",
            &["threw:RangeError"],
        ),
        hostile(
            "deep JSON in",
            "return JSON.parse('['.repeat(100000) + ']'.repeat(100000)).length",
            &["threw:RangeError", "threw:SyntaxError", "returned"],
        ),
        hostile(
            "deep JSON out",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return JSON.stringify(a).length",
            &["threw:RangeError"],
        ),
        hostile(
            "a deep result",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a",
            &["threw:RangeError"],
        ),
        hostile(
            "a deep argument",
            "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; await tools.testTools.echo({ value: a })",
            &["threw:RangeError"],
        ),
        hostile(
            "a deep regular expression",
            "return new RegExp('('.repeat(100000) + ')'.repeat(100000)).test('')",
            &["threw:RangeError", "threw:SyntaxError"],
        ),
        hostile(
            "deep brackets in the source",
            nested("[", "]"),
            &["threw:SyntaxError", "threw:RangeError", "limit:stack"],
        ),
        hostile(
            "deep parentheses in the source",
            nested("(", ")"),
            &["threw:SyntaxError", "threw:RangeError", "limit:stack"],
        ),
        hostile(
            "deep braces in the source",
            nested("{", "}"),
            &["threw:SyntaxError", "threw:RangeError", "limit:stack"],
        ),
        hostile(
            "deep types in the source",
            format!("let x: {}", nested("Array<", ">")),
            &["threw:SyntaxError", "threw:RangeError", "limit:stack"],
        ),
        hostile(
            "deep unary operators in the source",
            format!("return {}1", "- ".repeat(100_000)),
            &["threw:SyntaxError", "threw:RangeError", "limit:stack"],
        ),
        hostile(
            "deep templates in the source",
            nested("`${", "}`"),
            &["threw:SyntaxError", "threw:RangeError", "limit:stack"],
        ),
        hostile(
            "a long chain of operators in the source",
            format!("return 1{}", "+1".repeat(100_000)),
            &[
                "threw:SyntaxError",
                "threw:RangeError",
                "limit:stack",
                "returned",
            ],
        ),
        hostile(
            "a long chain of else if",
            format!("{} return 1", "if (0) {} else ".repeat(100_000)),
            &["threw:SyntaxError", "threw:RangeError", "limit:stack"],
        ),
        hostile(
            "console.log of what is deep",
            "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; console.log(a); return 1",
            &["returned"],
        ),
        hostile(
            "structuredClone of what is deep",
            "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; structuredClone(a)",
            &["threw:RangeError"],
        ),
    ]
}

fn floods() -> Vec<Hostile> {
    let allowed = Limits {
        memory_bytes: 1 << 30,
        ..limits()
    };
    vec![
        hostile(
            "output flood",
            "for (;;) console.log('x'.repeat(1000))",
            &["limit:output-bytes"],
        ),
        hostile(
            "one line too long",
            "console.log('x'.repeat(5e6))",
            &["limit:output-bytes"],
        ),
        hostile(
            "a result too long",
            "return 'x'.repeat(5e6)",
            &["limit:output-bytes"],
        ),
        hostile(
            "100,000 calls at once",
            "await Promise.all(Array.from({ length: 100000 }, () => tools.testTools.hang({})))",
            &["limit:calls"],
        ),
        hostile(
            "100,000 calls one by one",
            "for (let i = 0; i < 100000; i++) await tools.testTools.add({ a: i, b: 1 })",
            &["limit:calls", "limit:fuel"],
        ),
        Hostile {
            limits: allowed,
            ..hostile(
                "100 MB of arguments",
                "await tools.testTools.echo({ value: 'x'.repeat(100e6) })",
                &["limit:argument-bytes"],
            )
        },
        Hostile {
            limits: allowed,
            ..hostile(
                "a result of 100 MB",
                "await tools.testTools.text({ bytes: 100e6 })",
                &["limit:result-bytes"],
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
                &["limit:host-bytes"],
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
                &["limit:wall-time"],
            )
        },
        hostile(
            "a tool that answers after the end",
            "tools.testTools.sleep({ ms: 200 }); return 'done'",
            &["returned"],
        ),
        hostile(
            "a tool that panics",
            "await tools.testTools.panic({})",
            &["threw:ToolError"],
        ),
        hostile(
            "a million timers",
            "for (let i = 0; i < 1e6; i++) setTimeout(() => {}, 1e6); return 1",
            &["returned", "limit:memory", "limit:fuel"],
        ),
    ]
}

fn tampering() -> Vec<Hostile> {
    vec![
        hostile(
            "polluted prototypes",
            "for (const proto of [Object.prototype, Array.prototype, String.prototype, Function.prototype, Promise.prototype, Map.prototype, Set.prototype, Error.prototype, Symbol.prototype, RegExp.prototype])
               for (const key of Reflect.ownKeys(proto)) { try { Object.defineProperty(proto, key, { get() { throw new Error('polluted') }, set() {}, configurable: true }) } catch {} }
             tools.testTools.add",
            &["returned", "threw:Error", "threw:TypeError"],
        ),
        hostile("polluted globals", "for (const key of Reflect.ownKeys(globalThis)) { try { delete globalThis[key] } catch {} }", &["returned", "threw:ReferenceError", "threw:TypeError"]),
        hostile("Object.prototype.toJSON", "Object.prototype.toJSON = () => { throw new Error('no') }; return { a: 1 }", &["threw:Error"]),
        hostile("a thenable that never settles", "return { then() {} }", &["threw:Error", "returned"]),
        hostile("a result whose getters throw", "return { get a() { throw new TypeError('no') } }", &["threw:TypeError"]),
        hostile("a proxy as an argument", "return await tools.testTools.add(new Proxy({ a: 1, b: 2 }, {}))", &["returned"]),
        hostile("a proxy that throws as an argument", "await tools.testTools.add(new Proxy({}, { ownKeys() { throw new EvalError('no') } }))", &["threw:EvalError"]),
        hostile("getters as arguments", "let n = 0; return await tools.testTools.add({ get a() { return ++n }, get b() { return ++n } })", &["returned"]),
        hostile("a cyclic argument", "const a = {}; a.value = a; await tools.testTools.echo(a)", &["threw:TypeError"]),
        hostile("no source", "", &["returned"]),
        hostile("blank source", " \n\t\n", &["returned"]),
        hostile("source of 10 MB", format!("return 1 // {}", "x".repeat(10_000_000)), &["returned", "limit:memory"]),
        hostile("source of 10 MB of statements", "x=1;".repeat(2_500_000), &["limit:memory", "limit:fuel", "threw:ReferenceError", "returned"]),
        hostile("source of one huge line of brackets", "[[[[[[[[[[".repeat(1_000_000), &["threw:SyntaxError", "limit:memory", "limit:fuel", "limit:stack"]),
    ]
}

/// Runs each program, and then a harmless one.
async fn all_end_as_they_must(programs: Vec<Hostile>) {
    let mut wrong = Vec::new();
    for Hostile {
        name,
        source,
        limits,
        verdicts,
    } in programs
    {
        let started = Instant::now();
        let outcome = run_limited(&source, limits).await;
        let verdict = verdict(&outcome);
        if !verdicts.contains(&verdict.as_str()) {
            wrong.push(format!(
                "{name}: {verdict}, not {verdicts:?}: {:.300}",
                outcome.ending.to_string()
            ));
        }
        if started.elapsed() > limits.wall_time + Duration::from_secs(10) {
            wrong.push(format!("{name}: took {:?}", started.elapsed()));
        }
        assert_eq!(
            value("return [1, 2, 3].map((n) => n * 2)").await,
            serde_json::json!([2, 4, 6]),
            "after {name}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn programs_that_compute_without_end() {
    all_end_as_they_must(computing()).await;
}

#[tokio::test]
async fn programs_that_take_memory() {
    all_end_as_they_must(memory()).await;
}

#[tokio::test]
async fn programs_that_recurse() {
    all_end_as_they_must(recursion()).await;
}

#[tokio::test]
async fn programs_that_flood_the_host() {
    all_end_as_they_must(floods()).await;
}

#[tokio::test]
async fn programs_that_tamper() {
    all_end_as_they_must(tampering()).await;
}

/// Physical memory of this process, in bytes.
fn resident_bytes() -> i64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("/proc");
    statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<i64>().ok())
        .expect("a number of pages")
        * 4096
}

#[tokio::test]
async fn memory_returns_to_where_it_was() {
    let grow = "const all = []; for (;;) all.push(new Array(1000).fill(all.length))";
    let flood = "await Promise.all(Array.from({ length: 4 }, () => tools.testTools.text({ bytes: 1e6 }))); for (;;) console.log('x'.repeat(1000))";
    for _ in 0..2 {
        run_limited(grow, limits()).await;
        run_limited(flood, limits()).await;
    }
    let before = resident_bytes();
    for _ in 0..10 {
        assert_eq!(verdict(&run_limited(grow, limits()).await), "limit:memory");
        assert_eq!(
            verdict(&run_limited(flood, limits()).await),
            "limit:output-bytes"
        );
    }
    let grown = (resident_bytes() - before) / (1 << 20);
    assert!(grown < 16, "{grown} MiB more than before");
}

#[tokio::test]
async fn a_script_that_spins_holds_up_no_other() {
    // Compiling the guest is not what is measured.
    assert_eq!(value("return 0").await, 0);
    let spinning: Vec<_> = (0..4)
        .map(|_| {
            tokio::spawn(run_limited(
                "for (;;);",
                Limits {
                    wall_time: Duration::from_secs(5),
                    fuel: runtime().ceilings().fuel,
                    ..limits()
                },
            ))
        })
        .collect();
    tokio::task::yield_now().await;
    // All on the one thread of this test.
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let started = Instant::now();
        assert_eq!(value("return 1").await, 1);
        longest = longest.max(started.elapsed());
    }
    assert!(
        spinning.iter().all(|run| !run.is_finished()),
        "the spinning scripts ended too early"
    );
    assert!(
        longest < Duration::from_millis(500),
        "a run took {longest:?}"
    );
    for run in spinning {
        run.abort();
    }
}
