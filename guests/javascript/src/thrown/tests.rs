//! Scripts that fail, with the place and the message that they fail with.

use super::*;
use crate::bindings::exports::ampoule::guest::script::Program;
use crate::host::native::{self, Host, Tool};
use crate::realm::Realm;

/// A script each, then its place and message. The lines are those that Node tells.
const PLACES: &str = include_str!("places.txt");

fn thrown(source: &str) -> Thrown {
    let drive = vec![Tool::new("find", |_| Ok("[]".to_owned()))];
    native::with(|host| {
        *host = Host::default();
        host.servers = vec![("google-drive".to_owned(), drive)];
    });
    let program = Program {
        name: "main.ts".to_owned(),
        source: source.to_owned(),
        modules: Vec::new(),
        env: String::new(),
        stack_bytes: 256 * 1024,
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
