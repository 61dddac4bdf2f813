//! Scripts that fail, with the place and the message that they fail with.

use super::*;
use crate::bindings::exports::ampoule::guest::script::{Checking, Program};
use crate::host::native::{self, Host, Tool};
use crate::host::{Failure, FailureKind};
use crate::realm::Realm;

/// A script each, then its place and message. The lines are those that Node tells.
const PLACES: &str = include_str!("places.txt");

fn no() -> Failure {
    Failure {
        kind: FailureKind::Failed,
        message: "no".to_owned(),
        content: "[]".to_owned(),
        data: None,
    }
}

fn thrown(source: &str) -> Thrown {
    thrown_by(vec![Tool::new("find", |_| Err(no()))], source)
}

/// The same, with these tools.
fn thrown_by(drive: Vec<Tool>, source: &str) -> Thrown {
    native::with(|host| {
        *host = Host::default();
        host.servers = vec![("google-drive".to_owned(), drive)];
    });
    let program = Program {
        name: "main.ts".to_owned(),
        source: source.to_owned(),
        modules: Vec::new(),
        env: String::new(),
        strings: String::new(),
        stack_bytes: 256 * 1024,
        checking: Checking::Off,
    };
    let mut realm = Realm::new().expect("the prelude runs");
    match crate::program::run(&mut realm, program) {
        Ok(value) => panic!("{source}\nreturned {value:?}"),
        Err(thrown) => thrown,
    }
}

#[test]
fn places_and_messages_are_those_of_what_failed() {
    let mut wrong = Vec::new();
    for case in PLACES.trim_end().split("\n\n") {
        let (source, expected) = case.split_once("\n-> ").expect("a script and its end");
        let error = thrown(source);
        let place = match &error.location {
            Some(at) => format!("{}:{}", at.line, at.column),
            None => "nowhere".to_owned(),
        };
        let told = format!("{place} {}: {}", error.name, error.message);
        if told != expected {
            wrong.push(format!("{source}\n-> {told}\nnot {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn frames_tell_the_calls() {
    let error = thrown(
        "const f = (\n  a,\n  b,\n) => a.b.c;\nclass Made { constructor() {\n  f(\n    {},\n    2,\n  );\n} }\nconst all = [1].map((n) => new Made());",
    );
    assert_eq!(
        error.stack,
        "    at f (main.ts:4:10)\n    at Made (main.ts:6:3)\n    at main.ts:11:28\n    at main.ts:11:17"
    );
}

#[test]
fn all_that_an_error_tells_has_a_limit() {
    let long = "const long = 'é'.repeat(1e6);";
    for throw in [
        "throw new Error(long)",
        "const e = new Error(); e.name = long; throw e",
        "const f = { [long]() { throw new Error() } }; f[long]()",
        "throw new AggregateError(Array.from({ length: 99 }, () => new Error(long)), long)",
        "const wrap = (cause) => new Error(long, { cause }); throw wrap(wrap(wrap(long)))",
        "throw long",
        "throw { long }",
        "await import(long)",
    ] {
        let error = thrown(&format!("{long} {throw}"));
        let parts = [&error.name, &error.message, &error.stack];
        let bytes: usize = parts
            .into_iter()
            .chain(&error.causes)
            .map(String::len)
            .sum();
        assert!(bytes < 64 << 10, "{throw}: {bytes}");
        assert!(format!("{error:?}").contains("… (cut: "), "{throw}");
    }
}

#[test]
fn tools_errors_tell_the_tool_and_its_call() {
    let cases = [
        ("const x = 1;\nreturn tools.googleDrive.find({})", 2, 26),
        (
            "const p = tools['google-drive']\n  .find({}).then((r) => r);\nawait p;",
            2,
            4,
        ),
        (
            "const { find } = tools.googleDrive;\nawait Promise.all([\n  find(),\n]);",
            3,
            3,
        ),
        (
            "async function find(input) {\n  return callMCPTool('google_drive__find', input);\n}\nreturn find({});",
            2,
            10,
        ),
        (
            "const drive = tools.googleDrive;\nconst all = await Promise.all([1, 2].map((id) =>\n  drive.find({ id })));",
            3,
            9,
        ),
        ("await codemode.googleDrive__find({});", 1, 16),
        (
            "[1].find((x) => x);\nreturn [1, 2].map((id) => tools.googleDrive.find({ id }))",
            2,
            45,
        ),
        (
            "import * as drive from './servers/google-drive';\n\nreturn drive.find({})",
            3,
            14,
        ),
        (
            "await tools.googleDrive.find({});\nawait tools.googleDrive.find({});",
            1,
            25,
        ),
    ];
    for (source, line, column) in cases {
        let error = thrown(source);
        assert_eq!(
            (error.name.as_str(), error.message.as_str()),
            ("ToolError", "google-drive.find: no"),
            "{source}"
        );
        let at = error.location.map(|at| (at.line, at.column));
        assert_eq!(at, Some((line, column)), "{source}");
    }
    let unclear = thrown("const f = tools.googleDrive.find;\nreturn f({})");
    assert_eq!(unclear.message, "google-drive.find: no");
    let cause = thrown(
        "try {\n  await tools.googleDrive.find({})\n} catch (cause) { throw new Error('outer', { cause }) }",
    );
    assert_eq!(
        cause.causes,
        ["ToolError: google-drive.find: no (main.ts:2:27)"]
    );
    let stack = thrown(
        "const [it] = await Promise.allSettled([tools.googleDrive.find({})]);\nthrow new Error(it.reason.stack)",
    );
    assert_eq!(stack.message, "ToolError: no");
}

#[test]
fn tools_errors_tell_their_data() {
    let fails = |message: &'static str, data: &str| {
        let data = Some(data.to_owned());
        let failure = move || Failure {
            message: message.to_owned(),
            data: data.clone(),
            ..no()
        };
        thrown_by(
            vec![Tool::new("find", move |_| Err(failure()))],
            "await tools.googleDrive.find({})",
        )
    };
    let error = fails("compile failed", r#"{"ok": false, "row": 121}"#);
    let told = "google-drive.find: compile failed\nThe error's `data`: {\"ok\":false,\"row\":121}";
    assert_eq!(error.message, told);
    // What the message says is not said again.
    for message in [
        "{\"row\": 121}",
        "{ \"row\" : 1.21e2 }",
        "it failed: {\"row\":121}",
    ] {
        let error = fails(message, r#"{"row":121}"#);
        assert_eq!(error.message, format!("google-drive.find: {message}"));
    }
    let error = fails("null", "null");
    assert_eq!(error.message, "google-drive.find: null");
    // A value that is no JSON stays a text, and a long one is cut.
    let error = fails("no", "{");
    assert_eq!(
        error.message,
        "google-drive.find: no\nThe error's `data`: \"{\""
    );
    let error = fails("no", &format!("{:?}", "x".repeat(10_000)));
    assert!(error.message.len() < 2_200, "{}", error.message.len());
    assert!(error.message.ends_with("x… (cut: 10002 bytes)"));
    let error = thrown(
        "throw new ToolError('é'.repeat(1e5), { server: 's', tool: 't', data: { row: 121 } })",
    );
    assert!(error.message.len() < MESSAGE_LIMIT);
    assert!(error.message.ends_with("`data`: {\"row\":121}"));
    // So does a cause, and what can't be read is left out.
    let error = thrown(
        "const cause = new ToolError('no', { data: { row: 121 } });\nthrow new Error('outer', { cause });",
    );
    assert!(
        error.causes[0].contains("`data`: {\"row\":121}"),
        "{error:?}"
    );
    let error =
        thrown("throw Object.defineProperty(new ToolError('no'), 'data', { get() { throw 1 } })");
    assert_eq!(error.message, "no");
}
