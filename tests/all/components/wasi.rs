//! WASI programs: what they have of WASI, and what they have not.

use std::time::Duration;

use ampoule::{Access, Component, Ending, Level, Limits, Outcome};
use ampoule_tests::command::Workplace;
use ampoule_tests::components::command;
use ampoule_tests::{runtime, verdict};

/// A program with these texts in its memory and this body. `$print` writes a text to a file, `$say`
/// a digit to standard output, and `$open` opens a path in the first folder: it gives the file, or
/// ends the program with the error's number.
fn program(texts: &str, body: &str) -> Vec<u8> {
    command(&format!(
        r#"(module
            (import "wasi_snapshot_preview1" "fd_write" (func $fd_write (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "fd_read" (func $fd_read (param i32 i32 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "path_open" (func $path_open
                (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "args_sizes_get" (func $args_sizes_get (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "args_get" (func $args_get (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "environ_sizes_get" (func $environ_sizes_get (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "random_get" (func $random_get (param i32 i32) (result i32)))
            (import "wasi_snapshot_preview1" "clock_time_get" (func $clock_time_get (param i32 i64 i32) (result i32)))
            (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
            (memory (export "memory") 4)
            {texts}
            (func $print (param $file i32) (param $at i32) (param $length i32)
                (i32.store (i32.const 0) (local.get $at))
                (i32.store (i32.const 4) (local.get $length))
                (drop (call $fd_write (local.get $file) (i32.const 0) (i32.const 1) (i32.const 8))))
            (func $say (param $digit i32)
                (i32.store8 (i32.const 32) (i32.add (i32.const 48) (local.get $digit)))
                (call $print (i32.const 1) (i32.const 32) (i32.const 1)))
            (func $open (param $at i32) (param $length i32) (param $flags i32) (param $rights i64) (result i32)
                (local $error i32)
                (local.set $error (call $path_open (i32.const 3) (i32.const 1) (local.get $at) (local.get $length)
                    (local.get $flags) (local.get $rights) (local.get $rights) (i32.const 0) (i32.const 16)))
                (if (local.get $error) (then (call $proc_exit (local.get $error))))
                (i32.load (i32.const 16)))
            (func $read (param $file i32) (result i32)
                (i32.store (i32.const 0) (i32.const 4096))
                (i32.store (i32.const 4) (i32.const 4096))
                (i32.store (i32.const 8) (i32.const 0))
                (drop (call $fd_read (local.get $file) (i32.const 0) (i32.const 1) (i32.const 8)))
                (i32.load (i32.const 8)))
            (func (export "_start") {body}))"#
    ))
}

pub(super) async fn run(component: Component) -> Outcome {
    runtime()
        .isolate(component)
        .run()
        .await
        .expect("no host fault")
}

async fn run_program(texts: &str, body: &str) -> Outcome {
    run(Component::from_bytes(program(texts, body)).unwrap()).await
}

/// The lines of an outcome, with their levels.
fn lines(outcome: &Outcome) -> Vec<(Level, &str)> {
    let lines = outcome.output.lines().iter();
    lines.map(|line| (line.level, line.text.as_str())).collect()
}

#[tokio::test]
async fn what_it_prints_becomes_output_line_by_line() {
    let outcome = run_program(
        r#"(data (i32.const 100) "one\ntwo, \n\nbegun")"#,
        "(call $print (i32.const 1) (i32.const 100) (i32.const 8))
         (call $print (i32.const 2) (i32.const 111) (i32.const 5))
         (call $print (i32.const 1) (i32.const 108) (i32.const 3))
         (call $print (i32.const 1) (i32.const 111) (i32.const 5))",
    )
    .await;
    assert!(
        matches!(outcome.ending, Ending::Returned(None)),
        "{}",
        outcome.ending
    );
    assert_eq!(
        lines(&outcome),
        [
            (Level::Log, "one"),
            (Level::Log, "two, "),
            (Level::Log, ""),
            (Level::Log, "begun"),
            (Level::Error, "begun")
        ]
    );
}

#[tokio::test]
async fn its_argument_is_json_and_there_is_no_environment() {
    let component = program(
        "",
        "(drop (call $args_sizes_get (i32.const 8) (i32.const 12)))
         (call $say (i32.load (i32.const 8)))
         (drop (call $args_get (i32.const 1000) (i32.const 2000)))
         (call $print (i32.const 1) (i32.load (i32.const 1004)) (i32.const 7))
         (drop (call $environ_sizes_get (i32.const 8) (i32.const 12)))
         (call $say (i32.load (i32.const 8)))
         (call $say (call $read (i32.const 0)))",
    );
    let arguments = serde_json::value::to_raw_value(&serde_json::json!({"a": 1})).unwrap();
    let component = Component::from_bytes(component)
        .unwrap()
        .arguments(arguments);
    assert_eq!(run(component).await.output.to_string(), "2{\"a\":1}00\n");
}

#[tokio::test]
async fn its_environment_has_what_was_given() {
    let component = program(
        "",
        "(drop (call $environ_sizes_get (i32.const 8) (i32.const 12)))
         (call $say (i32.load (i32.const 8)))
         (call $say (i32.load (i32.const 12)))",
    );
    let component = Component::from_bytes(component).unwrap();
    let component = component.env("A", "b").env("C", "");
    // Two variables, of `A=b` and `C=` with a zero byte each.
    assert_eq!(run(component).await.output.to_string(), "27\n");
}

#[tokio::test]
async fn time_and_entropy_are_there() {
    let body = "(drop (call $random_get (i32.const 1000) (i32.const 8)))
         (drop (call $clock_time_get (i32.const 0) (i64.const 0) (i32.const 1008)))
         (call $say (i64.ne (i64.load (i32.const 1000)) (i64.const 0)))
         (call $say (i64.gt_u (i64.load (i32.const 1008)) (i64.const 1700000000000000000)))";
    assert_eq!(run_program("", body).await.output.to_string(), "11\n");
    // No run asks for more entropy than that at once.
    let outcome = run_program(
        "",
        "(drop (call $random_get (i32.const 1000) (i32.const 100000)))",
    )
    .await;
    assert_eq!(verdict(&outcome), "trapped");
}

#[tokio::test]
async fn it_may_exit_by_itself() {
    let outcome = run_program(
        "",
        "(call $say (i32.const 7)) (call $proc_exit (i32.const 0)) (call $say (i32.const 8))",
    )
    .await;
    assert_eq!(
        (&*verdict(&outcome), &*outcome.output.to_string()),
        ("returned", "7\n")
    );
    let outcome = run_program("", "(call $proc_exit (i32.const 1))").await;
    let Ending::Threw(thrown) = &outcome.ending else {
        panic!("{}", outcome.ending)
    };
    assert!(thrown.message.contains("ended with status 1"), "{thrown}");
}

#[tokio::test]
async fn a_flood_of_output_ends_it() {
    let limits = Limits {
        wall_time: Duration::from_secs(20),
        ..Limits::default()
    };
    for texts in ["", r#"(data (i32.const 5000) "\n")"#] {
        let body = "(loop (call $print (i32.const 1) (i32.const 4096) (i32.const 1000)) (br 0))";
        let component = Component::from_bytes(program(texts, body)).unwrap();
        let isolate = runtime().isolate(component).limits(limits).unwrap();
        let outcome = isolate.run().await.unwrap();
        assert_eq!(
            verdict(&outcome),
            "limit:output-bytes",
            "{}",
            outcome.ending
        );
        let printed = outcome.output.to_string().len() as u64;
        assert!(printed <= limits.output_bytes + 1, "{printed}");
    }
}

/// Opens `file.txt` in the first folder, and prints it.
const PRINT_FILE: &str = "(call $print (i32.const 1) (i32.const 4096)
    (call $read (call $open (i32.const 100) (i32.const 8) (i32.const 0) (i64.const 2))))";

#[tokio::test]
async fn there_are_no_files_but_in_folders_that_it_is_given() {
    let workplace = Workplace::default();
    workplace.file("inside/file.txt", "what is inside");
    workplace.file("outside.txt", "what is outside");
    let (inside, path) = (
        workplace.path().join("inside"),
        r#"(data (i32.const 100) "file.txt")"#,
    );
    let outcome = run_program(path, PRINT_FILE).await;
    assert_eq!(verdict(&outcome), "threw:Error", "{}", outcome.ending);

    let read = Component::from_bytes(program(path, PRINT_FILE)).unwrap();
    let read = read.folder(&inside, "/data", Access::Read);
    assert_eq!(run(read).await.output.to_string(), "what is inside\n");

    std::os::unix::fs::symlink("../outside.txt", inside.join("link.txt")).unwrap();
    for path in ["../outside.txt", "link.txt", "/etc/hostname"] {
        let texts = format!("(data (i32.const 100) {path:?})");
        let body = PRINT_FILE.replace("(i32.const 8)", &format!("(i32.const {})", path.len()));
        let escaping = Component::from_bytes(program(&texts, &body)).unwrap();
        let outcome = run(escaping.folder(&inside, "/data", Access::Write)).await;
        assert_eq!(verdict(&outcome), "threw:Error", "{path}");
        assert!(outcome.output.is_empty(), "{path}: {}", outcome.output);
    }
}

#[tokio::test]
async fn a_folder_is_written_to_only_where_that_was_granted() {
    let workplace = Workplace::default();
    workplace.file("inside/old.txt", "old");
    let inside = workplace.path().join("inside");
    let create = program(
        r#"(data (i32.const 100) "file.txt")"#,
        "(call $print (call $open (i32.const 100) (i32.const 8) (i32.const 1) (i64.const 64)) (i32.const 100) (i32.const 4))",
    );
    let create = Component::from_bytes(create).unwrap();
    let outcome = run(create.clone().folder(&inside, "/data", Access::Read)).await;
    assert_eq!(verdict(&outcome), "threw:Error", "{}", outcome.ending);
    assert!(!inside.join("file.txt").exists());
    let outcome = run(create.folder(&inside, "/data", Access::Write)).await;
    assert_eq!(verdict(&outcome), "returned", "{}", outcome.ending);
    assert_eq!(
        std::fs::read_to_string(inside.join("file.txt")).unwrap(),
        "file"
    );
}

#[tokio::test]
async fn the_command_line_gives_folders() {
    let workplace = Workplace::default();
    workplace.file("inside/file.txt", "what is inside");
    workplace.file(
        "read.wasm",
        program(r#"(data (i32.const 100) "file.txt")"#, PRINT_FILE),
    );
    for folder in ["inside", "./inside:/data"] {
        let ran = workplace
            .run(&["run", "read.wasm", "--folder", folder, "-q"])
            .await;
        assert_eq!(
            (ran.code, &*ran.stdout),
            (Some(0), "what is inside\n"),
            "{ran:?}"
        );
    }
    let ran = workplace.run(&["run", "read.wasm", "-q"]).await;
    assert_eq!((ran.code, &*ran.stdout), (Some(1), ""), "{ran:?}");
}

#[tokio::test]
async fn streams_without_end_are_a_trap() {
    let program = wat::parse_str(
        r#"(component
            (type $stream (stream u8))
            (core func $new (canon stream.new $stream))
            (core module $program
                (import "" "new" (func $new (result i64)))
                (memory (export "memory") 1)
                (func (export "realloc") (param i32 i32 i32 i32) (result i32) (i32.const 64))
                (func (export "run") (param i32 i32) (result i32)
                    (loop $again (drop (call $new)) (br $again))
                    unreachable))
            (core instance $builtins (export "new" (func $new)))
            (core instance $program (instantiate $program (with "" (instance $builtins))))
            (func (export "run") (param "arguments" string) (result (result string (error string)))
                (canon lift (core func $program "run")
                    (memory (core memory $program "memory")) (realloc (core func $program "realloc")))))"#,
    );
    let component = Component::from_bytes(program.expect("a component")).unwrap();
    let outcome = run(component).await;
    assert_eq!(verdict(&outcome), "trapped", "{}", outcome.ending);
    // Long before its fuel is used up: the host bounds what it keeps of them.
    assert!(outcome.usage.fuel < Limits::default().fuel / 10);
}
