//! `docs/reference/bindings.md`: options, errors, units and defaults by their names in Rust, Python,
//! Node and C. Each option and each error of a binding is in the page's tables, and what is in them is
//! there.

use std::collections::BTreeSet;
use std::fs;

use ampoule_foreign::{RunOptions, Runtime, RuntimeOptions};
use ampoule_projection::names::camel_case;
use ampoule_tests::repository;

use crate::architecture::sources;

/// Which column of a table has the names of a language.
const RUST: usize = 1;
const PYTHON: usize = 2;
const NODE: usize = 3;
const C: usize = 4;
const DEFAULT: usize = 5;

type Names = BTreeSet<String>;

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).expect(path)
}

/// A table of the page.
struct Table(Vec<Vec<String>>);

impl Table {
    /// The table below a heading.
    fn of(heading: &str) -> Self {
        let page = read("docs/reference/bindings.md");
        let (_, below) = page
            .split_once(&format!("\n## {heading}\n"))
            .expect(heading);
        let section = below.split("\n## ").next().unwrap_or_default();
        let rows = section.lines().filter(|line| line.starts_with('|')).skip(2);
        let rows: Vec<Vec<String>> = rows
            .map(|row| {
                row.trim_matches('|')
                    .split('|')
                    .map(|cell| cell.trim().to_owned())
                    .collect()
            })
            .collect();
        assert!(rows.len() >= 4, "{heading}: {rows:?}");
        Self(rows)
    }

    /// The names of a column that are so.
    fn names(&self, column: usize, is_so: impl Fn(&str) -> bool) -> Names {
        let cells = self.0.iter().flat_map(|row| names(&row[column]));
        cells
            .filter(|name| is_so(name))
            .map(str::to_owned)
            .collect()
    }
}

/// The words in backticks of a cell.
fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Whether a name is that of an option, and not of a function or a method.
fn is_option(name: &str) -> bool {
    !name.contains('.') && !name.starts_with("ampoule_")
}

/// Whether a name is that of a type.
fn is_type(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase()) && !name.contains(['.', ':'])
}

/// The names before `:` in lines that have one, without those that begin with these.
fn declared(lines: &str, without: &[char]) -> Names {
    let lines = lines
        .lines()
        .map(|line| line.strip_prefix("  ").unwrap_or(line));
    let lines = lines.filter(|line| !line.starts_with(without));
    let named = lines.filter_map(|line| line.trim().split_once(':'));
    named
        .map(|(name, _)| name.trim_end_matches('?').to_owned())
        .collect()
}

/// The members of an interface of Node's types.
fn members(interface: &str) -> Names {
    let types = read("host/bind/node/index.d.ts");
    let begin = format!("export interface {interface} {{\n");
    let (_, rest) = types.split_once(&begin).expect("the interface");
    let (body, _) = rest.split_once("\n}").expect("its end");
    declared(body, &[' ', '/', '*'])
}

/// What a method of Python's `Runtime` takes by name.
fn parameters(method: &str) -> Names {
    let runtime = read("host/bind/python/python/pyampoule/_runtime.py");
    let begin = format!("    def {method}(\n        self,\n");
    let (_, rest) = runtime.split_once(&begin).expect("the method");
    let (list, _) = rest.split_once("\n    )").expect("its end");
    let (_, named) = list.split_once("*,\n").expect("what is given by name");
    declared(named, &[])
}

/// The keys that options in C may have, as the message about another one names them.
fn keys(problem: &str) -> Names {
    let (_, known) = problem.split_once("the known ones are ").expect("the keys");
    names(known).map(str::to_owned).collect()
}

/// The classes that a source defines.
fn classes(text: &str, begin: &str) -> Names {
    let ends = ['(', ':', ' ', '<'];
    let named = text
        .lines()
        .filter_map(|line| line.strip_prefix(begin)?.split(ends).next());
    named.map(str::to_owned).collect()
}

#[test]
fn each_option_of_each_language_is_in_the_tables() {
    let of_run = Table::of("Options of a run");
    let of_runtime = Table::of("Options of a runtime");
    for (table, interface, method) in [
        (&of_run, "RunOptions", "run"),
        (&of_runtime, "RuntimeOptions", "__init__"),
    ] {
        assert_eq!(
            table.names(PYTHON, is_option),
            parameters(method),
            "{method}"
        );
        assert_eq!(
            table.names(NODE, is_option),
            members(interface),
            "{interface}"
        );
    }
    let unknown = r#"{ "nope": 1 }"#;
    let problem = RuntimeOptions::from_json(unknown).expect_err("it is not an option");
    assert_eq!(of_runtime.names(C, is_option), keys(&problem.message));
    let problem = RunOptions::from_json(unknown).expect_err("it is not an option");
    let mut in_c = of_run.names(C, is_option);
    in_c.extend(Table::of("What runs").names(C, is_option));
    assert_eq!(in_c, keys(&problem.message));
}

#[test]
fn names_differ_only_as_the_languages_do() {
    for heading in ["Options of a run", "Options of a runtime"] {
        for row in Table::of(heading).0 {
            let [python, node, c] = [PYTHON, NODE, C].map(|column| {
                let mut names = names(&row[column]).filter(|name| is_option(name));
                names.next().map(camel_case)
            });
            if let (Some(python), Some(node)) = (&python, &node) {
                assert_eq!(python, node, "{row:?}");
            }
            if let (Some(node), Some(c)) = (&node, &c) {
                assert_eq!(node, c, "{row:?}");
            }
        }
    }
}

#[test]
fn each_error_of_each_language_is_in_the_table() {
    let errors = Table::of("Errors");
    let python = read("host/bind/python/python/pyampoule/_errors.py");
    assert_eq!(errors.names(PYTHON, is_type), classes(&python, "class "));
    let node = read("host/bind/node/errors.d.ts");
    assert_eq!(errors.names(NODE, is_type), classes(&node, "export class "));
    let kinds: Names = ["usage", "busy", "closed", "host"]
        .map(str::to_owned)
        .into();
    let lower = |name: &str| !is_type(name);
    assert_eq!(errors.names(NODE, lower), kinds);
    let code = "readonly code: 'usage' | 'busy' | 'closed' | 'host'";
    assert!(node.contains(code), "the codes of AmpouleError are others");
    let header = read("host/bind/c/include/ampoule.h");
    let kind = r#"{"kind": "usage" | "busy" | "closed" | "host", "message": "..."}"#;
    assert!(header.contains(kind), "the kinds of faults in C are others");
    // How a run ended has one name in Node and C.
    let outcomes = read("host/bind/node/outcome.d.ts");
    let said = outcomes.split("ending: '").skip(1);
    let said: Names = said
        .filter_map(|rest| rest.split('\'').next())
        .map(str::to_owned)
        .collect();
    let in_c = errors.0.iter().filter(|row| row[C].starts_with("`ending`"));
    let in_c: Names = in_c
        .filter_map(|row| names(&row[C]).nth(1))
        .map(str::to_owned)
        .collect();
    assert_eq!(in_c, said);
}

/// Whether a source has a type, or a member of it.
fn defines(text: &str, name: &str) -> bool {
    let has = |parts: &[String]| parts.iter().any(|part| text.contains(part));
    let Some((of, member)) = name.split_once("::") else {
        return has(&["struct", "enum"].map(|kind| format!("pub {kind} {name}")));
    };
    let types = ["impl", "pub enum", "pub struct"].map(|kind| format!("{kind} {of} {{"));
    let members = [
        format!("pub fn {member}("),
        format!("    {member}("),
        format!("    {member},"),
        format!("    pub {member}: "),
    ];
    has(&types) && has(&members)
}

#[test]
fn names_in_rust_and_c_are_there() {
    let host = repository().join("host");
    let texts = sources().into_iter().filter(|path| path.starts_with(&host));
    let texts: Vec<_> = texts
        .map(|path| fs::read_to_string(path).expect("a source"))
        .collect();
    let header = read("host/bind/c/include/ampoule.h");
    for heading in [
        "What runs",
        "Options of a run",
        "Options of a runtime",
        "Errors",
    ] {
        let table = Table::of(heading);
        let in_rust = table.names(RUST, |_| true);
        assert!(in_rust.len() >= 4, "{heading}: {in_rust:?}");
        for name in in_rust {
            assert!(
                texts.iter().any(|text| defines(text, &name)),
                "Rust has no {name}"
            );
        }
        for name in table.names(C, |name| name.starts_with("ampoule_")) {
            assert!(header.contains(&format!("{name}(")), "C has no {name}");
        }
    }
}

/// Times are written in the same ways wherever an option is one.
#[test]
fn each_time_is_a_number_or_a_text() {
    for time in ["50", "50.5", "\"50ms\""] {
        let options = format!(r#"{{ "slotWait": {time}, "limits": {{ "wallTime": {time} }} }}"#);
        let options = RuntimeOptions::from_json(&options).expect("options");
        assert!(Runtime::new(&options).is_ok(), "{time}");
    }
    for time in ["-1", "true", "\"soon\""] {
        let options = format!(r#"{{ "slotWait": {time} }}"#);
        let options = RuntimeOptions::from_json(&options).expect("options");
        let fault = Runtime::new(&options).err().expect("a fault");
        assert!(fault.message.starts_with("`slotWait`"), "{}", fault.message);
    }
}

/// Defaults that no other table has are the same in the code, and where each language says them.
#[test]
fn defaults_are_those_of_the_runtime() {
    let builder = read("host/run/runtime/src/runtime/builder.rs");
    let python = read("host/bind/python/python/pyampoule/_runtime.py");
    let node = read("host/bind/node/index.d.ts");
    let table = Table::of("Options of a runtime");
    for (what, code) in [
        ("most isolates at once", "isolates: 1000,"),
        ("wait for an isolate", "slot_wait: Duration::from_secs(10),"),
    ] {
        let row = table.0.iter().find(|row| row[0] == what).expect(what);
        let default = &row[DEFAULT];
        assert!(builder.contains(code), "{what}");
        assert!(
            python.contains(&format!("default {default}")),
            "{what}: Python"
        );
        assert!(node.contains(&format!("Default {default}")), "{what}: Node");
    }
}
