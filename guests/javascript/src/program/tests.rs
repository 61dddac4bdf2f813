//! Whole programs against the stand-in host: what they return, print, call and throw.

mod answers;
mod calls;
mod checked;
mod ends;
mod errors;
mod imports;
mod languages;
mod other_modes;
mod outbound;
mod packages;
mod shapes;
mod temporal;
mod tools;
mod unawaited;

use super::*;
use crate::bindings::exports::ampoule::guest::script::{Checking, Content, Module};
use crate::host::native::{self, Host, Tool};
use crate::host::{Failure, FailureKind};

/// A program of one module.
fn program(source: &str) -> Program {
    Program {
        name: "main.ts".to_owned(),
        source: source.to_owned(),
        modules: Vec::new(),
        env: String::new(),
        strings: String::new(),
        stack_bytes: 256 * 1024,
        checking: Checking::First,
    }
}

/// Runs a program in a new realm, with a host that has tools.
fn run_program(program: Program) -> Outcome {
    native::with(|host| *host = host_with_tools());
    run(&mut Realm::new().expect("the prelude runs"), program)
}

fn host_with_tools() -> Host {
    let echo = |arguments: &str| Ok(arguments.to_owned());
    let fail = |_: &str| {
        Err(Failure {
            kind: FailureKind::Failed,
            message: "no such page".to_owned(),
            content: r#"[{"type":"text","text":"no such page"}]"#.to_owned(),
            data: None,
        })
    };
    let build = |arguments: &str| {
        Err(Failure {
            kind: FailureKind::Failed,
            message: "compile failed".to_owned(),
            content: "[]".to_owned(),
            data: Some(arguments.to_owned()),
        })
    };
    let drive = vec![
        Tool::new("get_document", echo).with_parameters(&["documentId", "fields"]),
        Tool::new("slow-search", |_| Ok("\"found\"".to_owned())).after(5_000_000),
        Tool::new("fail", fail),
        Tool::new("build", build),
        Tool::new("never", echo).after(u64::MAX / 2),
    ];
    let odd = ["__proto__", "then", "constructor", "toString"]
        .map(|name| Tool::new(name, move |_| Ok(format!("\"{name}\""))));
    let mut host = Host::default();
    host.servers = vec![
        ("google-drive".to_owned(), drive),
        ("odd".to_owned(), odd.into()),
        ("fetch".to_owned(), vec![Tool::new("fetch", echo)]),
    ];
    host
}

/// What a script returns, as JSON; `none` if nothing.
fn returned(source: &str) -> String {
    match run_program(program(source)) {
        Ok(value) => value.unwrap_or_else(|| "none".to_owned()),
        Err(thrown) => panic!("{source}\n{thrown:?}"),
    }
}

fn thrown(source: &str) -> Thrown {
    match run_program(program(source)) {
        Ok(value) => panic!("{source}\nreturned {value:?}"),
        Err(thrown) => thrown,
    }
}

fn assert_returns(cases: &[(&str, &str)]) {
    for (source, expected) in cases {
        assert_eq!(returned(source), *expected, "{source}");
    }
}

/// Scripts, each in a line of its own, that throw what begins like this.
fn assert_throws(cases: &[(&str, &str)]) {
    for (source, message) in cases {
        let thrown = thrown(&format!("\n  {source}"));
        assert!(thrown.message.starts_with(message), "{source}: {thrown:?}");
        assert_eq!(
            thrown.location.map(|location| location.line),
            Some(2),
            "{source}"
        );
    }
}
