//! Programs of a session, one after the other in one realm: what each finds of those before.

use super::*;
use crate::bindings::exports::ampoule::guest::script::{Checking, Content, Module, Program};
use crate::host::native::{self, Host, Tool};
use crate::program::{self, Outcome};

const MODULE: &str =
    "export interface Shape { name: string }; export const one = 1; export default () => 2";

fn host() -> Host {
    let echo = |arguments: &str| Ok(arguments.to_owned());
    let drive = vec![
        Tool::new("get_document", echo),
        Tool::new("never", echo).after(u64::MAX / 2),
    ];
    let mut host = Host::default();
    host.servers = vec![("google-drive".to_owned(), drive)];
    host
}

/// What each program of a new session comes to.
fn outcomes(sources: &[&str]) -> Vec<Outcome> {
    native::with(|native| *native = host());
    let mut realm = Realm::new().expect("the prelude runs");
    let programs = sources.iter().enumerate();
    let ended = programs.map(|(number, source)| {
        begin(&mut realm, "it".to_owned(), number as u32);
        let program = Program {
            name: format!("script.{number}.ts"),
            source: (*source).to_owned(),
            modules: vec![Module {
                name: "shapes.ts".to_owned(),
                content: Content::Source(MODULE.to_owned()),
            }],
            env: String::new(),
            strings: String::new(),
            stack_bytes: 256 * 1024,
            checking: Checking::First,
        };
        let outcome = program::run(&mut realm, program);
        leave(&mut realm);
        outcome
    });
    ended.collect()
}

/// Sessions, and what the last program of each returns.
fn assert_return(cases: &[(&[&str], &str)]) {
    for (sources, expected) in cases {
        let value = match outcomes(sources).pop() {
            Some(Ok(value)) => value.unwrap_or_else(|| "none".to_owned()),
            other => panic!("{sources:?}\n{other:?}"),
        };
        assert_eq!(value, *expected, "{sources:?}");
    }
}

#[test]
fn what_var_declares_again_keeps_its_value() {
    let counts = "var c = c || { n: 0 }; c.n++; return c.n";
    let sets = "if (typeof z === 'undefined') { var z = 100 } return z";
    assert_return(&[
        (&[counts, counts, counts], "3"),
        (&["var z = 5", "var z; return z"], "5"),
        (&["var z = 5", sets], "5"),
        (&["return 1", sets], "100"),
        (&["for (var i = 0; i < 3; i++);", "var i; return i"], "3"),
        (
            &[
                "var { a, b: [c] } = { a: 1, b: [2] }",
                "var a, c; return [a, c]",
            ],
            "[1,2]",
        ),
        (&["function f() { return 1 }", "var f; return f()"], "1"),
        (&["var f = 1", "function f() { return 2 } return f()"], "2"),
    ]);
}

#[test]
fn the_later_declaration_wins() {
    assert_return(&[
        (&["let z = 5", "var z; return z"], "5"),
        (&["const z = 5", "var z = z + 1; z++; return z"], "7"),
        (
            &["let z = 5", "var z; z = 6", "return [z, globalThis.z]"],
            "[6,6]",
        ),
        (&["var z = 5", "let z; return typeof z"], "\"undefined\""),
        (
            &["var z = 5", "const z = 6; return [z, typeof globalThis.z]"],
            "[6,\"undefined\"]",
        ),
        (&["var z = 5", "let z = 6", "var z; return z"], "6"),
        (
            &[
                "let z = 5",
                "let z; function f() { var z = 1; return z } return [f(), typeof z]",
            ],
            "[1,\"undefined\"]",
        ),
        (
            &["enum E { A }", "enum E { B } return E"],
            "{\"0\":\"B\",\"B\":0}",
        ),
        (
            &["class A { x = 1 }", "class A { y = 2 } return new A()"],
            "{\"y\":2}",
        ),
        (
            &["throw new Error('no'); let z = 5", "var z; return typeof z"],
            "\"undefined\"",
        ),
    ]);
}

#[test]
fn what_a_program_imports_and_does_not_use_is_there_later() {
    let join = "return p.join('a', 'b')";
    let document = "return getDocument({ documentId: 1 })";
    assert_return(&[
        (&["import p from 'node:path'; return 1", join], "\"a/b\""),
        (&["import * as p from 'path'", join], "\"a/b\""),
        (
            &[
                "import { join as j, basename } from 'node:path'; basename('a')",
                "return j('a', 'b')",
            ],
            "\"a/b\"",
        ),
        (
            &[
                "import { getDocument } from './servers/google-drive'",
                document,
            ],
            "{\"documentId\":1}",
        ),
        (
            &[
                "import * as d from './servers/google-drive/tools'",
                "return d.getDocument({ documentId: 1 })",
            ],
            "{\"documentId\":1}",
        ),
        (
            &[
                "import make, { one } from './shapes.ts'",
                "return [make(), one]",
            ],
            "[2,1]",
        ),
    ]);
}

#[test]
fn imports_of_types_are_no_error_and_declare_nothing() {
    assert_return(&[
        (
            &[
                "import { Shape, one } from './shapes.ts'; return 1",
                "const s: Shape = { name: 'x' }; return [s.name, one]",
            ],
            "[\"x\",1]",
        ),
        (
            &[
                "import { Bar } from './types'; import { Missing } from 'node:path'; import fs from 'fs'; return 1",
                "return [typeof Bar, typeof Missing, typeof fs]",
            ],
            "[\"undefined\",\"undefined\",\"undefined\"]",
        ),
        (
            &[
                "import type p from 'node:path'; import { type join } from 'node:path'; return 1",
                "return [typeof p, typeof join]",
            ],
            "[\"undefined\",\"undefined\"]",
        ),
        (
            &[
                "const Bar = 5",
                "import { Bar } from './types'; import type { Bar as B } from './x'; return 1",
                "return Bar",
            ],
            "5",
        ),
        (
            &[
                "const join = 5",
                "import type { join } from 'node:path'; return 1",
                "return join",
            ],
            "5",
        ),
    ]);
}

#[test]
fn a_call_that_was_left_says_that_its_run_has_ended() {
    let hears = "try { await pend } catch (error) { return [error instanceof ToolError, error.tool, error.message.includes('ended without waiting')] }";
    let starts = "const pend = tools.googleDrive.never(); return 1";
    let heard = "const pend = tools.googleDrive.never(); pend.then(() => {}, () => {}); return 1";
    let derived = "const pend = tools.googleDrive.never().then((value) => value.x); return 1";
    let throws = "var pend = tools.googleDrive.never(); throw new Error('no')";
    let error = "[true,\"never\",true]";
    assert_return(&[
        (&[starts, hears], error),
        (&[starts, "let more = 1", hears], error),
        (&[heard, hears], error),
        (&[derived, hears], error),
        (&[throws, hears], error),
    ]);
    let thrown = outcomes(&[starts, "\nawait pend"])
        .pop()
        .unwrap()
        .unwrap_err();
    assert_eq!(thrown.name, "ToolError");
    assert!(thrown.stack.contains("script.1.ts:2:7"), "{thrown:?}");
    let made = thrown.location.map(|location| location.module);
    assert_eq!(made.as_deref(), Some("script.0.ts"));
}

#[test]
fn a_call_that_is_made_again_as_its_run_ends_does_not_hang_the_next() {
    let endless = "var pend; (async () => { for (;;) try { await (pend = tools.googleDrive.never()) } catch {} })(); return 1";
    let thrown = outcomes(&[endless, "await pend"])
        .pop()
        .unwrap()
        .unwrap_err();
    assert!(
        thrown.message.contains("an earlier run of the session"),
        "{thrown:?}"
    );
}

#[test]
fn a_timer_that_was_left_says_that_its_run_has_ended() {
    let sets = "const late = new Promise((done) => setTimeout(done, 1000)); return 1";
    let thrown = outcomes(&[sets, "await late"]).pop().unwrap().unwrap_err();
    assert!(
        thrown.message.contains("an earlier run of the session"),
        "{thrown:?}"
    );
    let own = outcomes(&["return 1", "await new Promise(() => {})"])
        .pop()
        .unwrap()
        .unwrap_err();
    assert!(own.message.contains("each `new Promise`"), "{own:?}");
}

#[test]
fn names_of_earlier_programs_are_nobodys_server() {
    assert_return(&[
        (
            &[
                "const tools = { googleDrive: { nothing: () => 1 } }",
                "return tools.googleDrive.nothing()",
            ],
            "1",
        ),
        (
            &["const mine = { call: () => 2 }", "return mine.call({})"],
            "2",
        ),
        (
            &[
                "await googleDrive.get_document({})",
                "return await googleDrive.get_document({})",
            ],
            "{}",
        ),
    ]);
    let asked = native::with(|host| host.checked.len());
    assert_eq!(asked, 2);
}

#[test]
fn values_of_temporal_outlive_their_program() {
    assert_return(&[(
        &[
            "const due = Temporal.ZonedDateTime.from('2026-11-29T12:00[Europe/Rome]'); let week = Temporal.Duration.from({ weeks: 1 })",
            "week = week.negated(); return due.add(week)",
            "return [due, week, due.add(week).dayOfWeek]",
        ],
        "[\"2026-11-29T12:00:00+01:00[Europe/Rome]\",\"-P1W\",7]",
    )]);
}
