//! How components end: by themselves, or at a limit, whatever they try.

use std::time::{Duration, Instant};

use ampoule::{Component, Ending, Limits, Outcome};
use ampoule_tests::components::{component, with_items};
use ampoule_tests::{runtime, value, verdict};
use serde_json::{Value, json};

/// What a component may use.
fn limits() -> Limits {
    Limits {
        wall_time: Duration::from_secs(20),
        memory_bytes: 16 << 20,
        ..Limits::default()
    }
}

async fn run(wasm: Vec<u8>, limits: Limits) -> Outcome {
    let component = Component::from_bytes(wasm).expect("a component");
    let isolate = runtime().isolate(component).limits(limits);
    let run = isolate.expect("limits below the ceilings").run();
    run.await.expect("no host fault")
}

#[tokio::test]
async fn arguments_go_in_and_json_comes_out() {
    let echo = component("(call $return (i32.const 0) (local.get $at) (local.get $length))");
    let component = Component::from_bytes(echo).unwrap();
    let outcome = runtime().isolate(component.clone()).run().await.unwrap();
    assert_eq!(outcome.value::<Value>().unwrap(), json!({}));
    let arguments = json!({"deep": [1, 12345678901234567890_u64, null]});
    let component = component.arguments(serde_json::value::to_raw_value(&arguments).unwrap());
    let outcome = runtime().isolate(component).run().await.unwrap();
    assert_eq!(outcome.value::<Value>().unwrap(), arguments);
    let usage = outcome.usage;
    assert!(
        usage.fuel > 0 && usage.peak_memory_bytes == 2 << 16,
        "{usage:?}"
    );
    assert!(
        usage.output_bytes > 20 && usage.peak_host_bytes > 20,
        "{usage:?}"
    );
}

#[tokio::test]
async fn an_error_is_what_the_run_throws() {
    let failing = with_items(
        r#"(data (i32.const 100) "out of stock")"#,
        "(call $return (i32.const 1) (i32.const 100) (i32.const 12))",
    );
    let outcome = run(failing, limits()).await;
    let Ending::Threw(thrown) = &outcome.ending else {
        panic!("{}", outcome.ending)
    };
    assert_eq!(thrown.to_string(), "Error: out of stock");
}

#[tokio::test]
async fn what_a_component_does_ends_it_and_nothing_else() {
    let few = |change: fn(&mut Limits)| {
        let mut limits = limits();
        change(&mut limits);
        limits
    };
    let forever = component("(loop (br 0)) (i32.const 16)");
    for (name, wasm, limits, expected) in [
        (
            "computes without end",
            forever.clone(),
            few(|limits| limits.fuel = 100_000_000),
            "limit:fuel",
        ),
        (
            "computes for too long",
            forever,
            few(|limits| limits.wall_time = Duration::from_millis(200)),
            "limit:wall-time",
        ),
        (
            "takes all memory",
            component(
                "(loop (br_if 0 (i32.ne (memory.grow (i32.const 16)) (i32.const -1)))) unreachable",
            ),
            limits(),
            "limit:memory",
        ),
        (
            "gets along with the memory that there is",
            component("(drop (memory.grow (i32.const 60000))) (i32.const 16)"),
            limits(),
            // It returned an empty text, which is not JSON.
            "trapped",
        ),
        (
            "begins with too much memory",
            wat_with_memory(1000),
            limits(),
            "limit:memory",
        ),
        (
            "calls itself without end",
            with_items(
                "(func $again (param i32) (result i32) (i32.add (i32.const 1) (call $again (local.get 0))))",
                "(call $again (i32.const 0))",
            ),
            limits(),
            "limit:stack",
        ),
        ("gives up", component("unreachable"), limits(), "trapped"),
        (
            "reads outside of its memory",
            component("(i32.load (i32.const -8))"),
            limits(),
            "trapped",
        ),
        (
            "returns what lies outside of its memory",
            component("(call $return (i32.const 0) (i32.const -100) (i32.const 1000))"),
            limits(),
            "trapped",
        ),
        (
            "returns more than may be printed",
            component(
                "(drop (memory.grow (i32.const 100)))
                 (memory.fill (i32.const 65536) (i32.const 0x31) (i32.const 4000000))
                 (call $return (i32.const 0) (i32.const 65536) (i32.const 4000000))",
            ),
            limits(),
            "limit:output-bytes",
        ),
        (
            "returns more than the host may hold",
            component(
                "(drop (memory.grow (i32.const 100)))
                 (call $return (i32.const 0) (i32.const 65536) (i32.const 4000000))",
            ),
            few(|limits| limits.host_bytes = 1 << 20),
            "limit:host-bytes",
        ),
    ] {
        let started = Instant::now();
        let outcome = run(wasm, limits).await;
        assert_eq!(verdict(&outcome), expected, "{name}: {}", outcome.ending);
        assert!(started.elapsed() < Duration::from_secs(30), "{name}");
        assert_eq!(value("return 1 + 1").await, 2, "{name}");
    }
}

/// A component with that many pages of memory from the start.
fn wat_with_memory(pages: u32) -> Vec<u8> {
    let text = format!(
        r#"(component
            (core module $program
                (memory (export "memory") {pages})
                (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
                (func (export "run") (param i32 i32) (result i32) (i32.const 16)))
            (core instance $program (instantiate $program))
            (func (export "run") (param "arguments" string) (result (result string (error string)))
                (canon lift (core func $program "run")
                    (memory (core memory $program "memory")) (realloc (core func $program "realloc")))))"#
    );
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn what_a_component_prints_is_there_however_it_ends() {
    let printing = |then: &str| {
        let text = format!(
            r#"(component
                (import "ampoule:guest/console@0.1.0" (instance $console
                    (type $level' (enum "debug" "log" "info" "warn" "error"))
                    (export "level" (type $level (eq $level')))
                    (export "write" (func (param "level" $level) (param "text" string)))))
                (core module $memory (memory (export "memory") 1) (data (i32.const 100) "as far as this"))
                (core instance $memory (instantiate $memory))
                (core func $write (canon lower (func $console "write") (memory (core memory $memory "memory"))))
                (core module $program
                    (import "host" "write" (func $write (param i32 i32 i32)))
                    (import "host" "memory" (memory 1))
                    (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 4096))
                    (func (export "run") (param i32 i32) (result i32)
                        (call $write (i32.const 3) (i32.const 100) (i32.const 14))
                        {then}))
                (core instance $program (instantiate $program
                    (with "host" (instance
                        (export "write" (func $write))
                        (export "memory" (memory $memory "memory"))))))
                (func (export "run") (param "arguments" string) (result (result string (error string)))
                    (canon lift (core func $program "run")
                        (memory (core memory $memory "memory")) (realloc (core func $program "realloc")))))"#
        );
        wat::parse_str(text).unwrap()
    };
    for (then, expected) in [
        ("unreachable", "trapped"),
        ("(loop (br 0)) (i32.const 16)", "limit:fuel"),
        (
            "(i32.store (i32.const 16) (i32.const 1)) (i32.const 16)",
            "threw:Error",
        ),
    ] {
        let mut limits = limits();
        limits.fuel = 10_000_000;
        let outcome = run(printing(then), limits).await;
        assert_eq!(verdict(&outcome), expected);
        let output = outcome.output.to_string();
        let note = output.strip_prefix("as far as this\n").unwrap();
        assert_eq!(
            note.starts_with("most of the fuel was used without a call"),
            expected == "limit:fuel",
            "{note}"
        );
    }
}

#[tokio::test]
async fn many_runs_of_one_component_have_nothing_of_each_other() {
    let counting = with_items(
        r#"(global $runs (mut i32) (i32.const 48))"#,
        "(global.set $runs (i32.add (global.get $runs) (i32.const 1)))
         (i32.store8 (i32.const 200) (global.get $runs))
         (i32.store8 (i32.const 300) (i32.add (i32.load8_u (i32.const 300)) (i32.const 1)))
         (i32.store8 (i32.const 201) (i32.add (i32.const 48) (i32.load8_u (i32.const 300))))
         (call $return (i32.const 0) (i32.const 200) (i32.const 2))",
    );
    let runs = (0..200).map(|_| run(counting.clone(), limits()));
    for outcome in futures::future::join_all(runs).await {
        assert_eq!(outcome.value::<u32>().unwrap(), 11);
    }
}
