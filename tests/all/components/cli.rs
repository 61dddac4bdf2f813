//! `ampoule run component.wasm`

use ampoule_tests::command::Workplace;
use ampoule_tests::components::{component, importing, with_items};

/// Returns its arguments.
fn echo() -> Vec<u8> {
    component("(call $return (i32.const 0) (local.get $at) (local.get $length))")
}

#[tokio::test]
async fn a_component_is_run_with_its_arguments() {
    let workplace = Workplace::default();
    workplace.file("echo.wasm", echo());
    let ran = workplace
        .run(&["run", "echo.wasm", "--arguments", r#"{"n": 1.5}"#, "-q"])
        .await;
    assert_eq!(
        (ran.code, &*ran.stdout),
        (Some(0), "{\n  \"n\": 1.5\n}\n"),
        "{ran:?}"
    );
    let ran = workplace
        .run_with_input(&["run", "-", "--json"], &echo())
        .await;
    assert_eq!(ran.json()["value"], serde_json::json!({}), "{ran:?}");
}

#[tokio::test]
async fn each_ending_has_its_exit_code() {
    let workplace = Workplace::default();
    let failing = with_items(
        r#"(data (i32.const 100) "no stock")"#,
        "(call $return (i32.const 1) (i32.const 100) (i32.const 8))",
    );
    for (wasm, code, said) in [
        (failing, 1, "Error: no stock"),
        (
            component("(loop (br 0)) (i32.const 16)"),
            3,
            "hit its fuel limit",
        ),
        (component("unreachable"), 4, "the guest trapped"),
    ] {
        workplace.file("program.wasm", wasm);
        let ran = workplace
            .run(&["run", "program.wasm", "-q", "--fuel", "1000000"])
            .await;
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.stderr.contains(said), "{ran:?}");
    }
}

#[tokio::test]
async fn what_can_not_be_run_is_refused_with_what_to_do() {
    let workplace = Workplace::default();
    let import = |name: &str| {
        let text = format!(r#"(component (import "{name}" (instance (export "do" (func)))))"#);
        wat::parse_str(text).unwrap()
    };
    let export = |text: &str| wat::parse_str(format!("(component {text})")).unwrap();
    for (wasm, said) in [
        (b"\0asm\x01\0\0\0".to_vec(), "wasm-tools component new"),
        (b"not wasm".to_vec(), "this is not WebAssembly"),
        (
            b"\0asm\x0d\0\x01\0\xff".to_vec(),
            "the component is not valid",
        ),
        (
            import("wasi:sockets/tcp@0.3.0"),
            "this host has WASI 0.2 and 0.3, and this is version 0.3.0",
        ),
        (
            import("wasi:tls/types@0.2.0-draft"),
            "import `wasi:http`, whose requests `[outbound]` in ampoule.toml allows",
        ),
        (
            import("wasi:http/outgoing-handler@0.3.0"),
            "this host has WASI 0.2 and 0.3, and this is version 0.3.0",
        ),
        (
            import("wasi:clocks/wall-clock@0.3.0"),
            "this host has WASI 0.2 and 0.3, and this is version 0.3.0",
        ),
        (import("wasi:keyvalue/store@0.2.0"), "compose the component"),
        (
            import("ampoule:guest/console@0.9.0"),
            "this host has ampoule:guest/tools",
        ),
        (
            import("ampoule:guest/unheard-of@0.1.0"),
            "this host has ampoule:guest/tools",
        ),
        (import("mcp:demo/resources"), "`mcp:demo/demo`"),
        (import("acme:db/store"), "wac plug"),
        (import("mcp:demmo/demmo"), "it exports nothing"),
        // As components have it that were built before.
        (import("mcp:demmo/tools"), "it exports nothing"),
        (export(""), "it exports nothing"),
        (
            export(r#"(component $c) (instance $i (instantiate $c)) (export "run" (instance $i))"#),
            "its export `run` has another type",
        ),
        (
            export(
                r#"(type $r (resource (rep i32))) (export $file "file" (type $r)) (core module $m (func (export "f") (param i32))) (core instance $i (instantiate $m)) (func (export "run") (param "a" (own $file)) (canon lift (core func $i "f")))"#,
            ),
            "its export `run` has a type that JSON can't express: args.a: a resource is not JSON",
        ),
    ] {
        workplace.file("program.wasm", wasm);
        let ran = workplace.run(&["run", "program.wasm"]).await;
        assert_eq!((ran.code, &*ran.stdout), (Some(2), ""), "{ran:?}");
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let workplace = Workplace::default();
    workplace.file("program.wasm", importing("mcp:demmo/demmo", "do"));
    let ran = workplace.run(&["run", "program.wasm"]).await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(
        ran.stderr
            .contains("unknown server `demmo`; did you mean `demo`?"),
        "{ran:?}"
    );
}

#[tokio::test]
async fn options_of_scripts_are_not_those_of_components() {
    let workplace = Workplace::default();
    workplace.file("echo.wasm", echo());
    workplace.file("script.ts", "return 1");
    for (arguments, said) in [
        (
            &["run", "echo.wasm", "--string", "a=b"][..],
            "give it --arguments or --env",
        ),
        (
            &["run", "echo.wasm", "--language", "javascript"],
            "give it --arguments",
        ),
        (
            &["run", "echo.wasm", "--arguments", "{"],
            "'--arguments <JSON>': this is not JSON: the text ends before the value does",
        ),
        (
            &["run", "echo.wasm", "--folder", "absent"],
            "the folder absent can't be opened for the run",
        ),
        (&["run", "script.ts", "--arguments", "{}"], "with --env"),
        (&["run", "script.ts", "--folder", "."], "with --env"),
    ] {
        let ran = workplace.run(arguments).await;
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.stderr.contains(said), "{said}: {ran:?}");
    }
}
