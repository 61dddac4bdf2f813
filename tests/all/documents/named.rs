//! What documents name is there: tests as proof, and the files of the way of a call.

use std::collections::{BTreeMap, BTreeSet};

use ampoule_tests::repository;

use super::read;

/// The pages on security, by their names, with their text.
fn security_pages() -> BTreeMap<String, String> {
    let folder = repository().join("docs/security");
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let pages = files.map(|file| {
        let name = file.file_name().to_string_lossy().into_owned();
        (name, read(&file.path()))
    });
    pages.collect()
}

/// The tests that a text names, each as a file and a function in it.
fn named_tests(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.filter_map(|name| name.split_once(".rs::"))
}

#[test]
fn the_tests_that_are_named_as_proof_are_there() {
    let pages = security_pages();
    let named: BTreeSet<_> = pages.values().flat_map(|text| named_tests(text)).collect();
    assert!(named.len() > 350, "{}", named.len());
    for (file, test) in named {
        let file = format!("{file}.rs");
        let folder = if file.starts_with("host/") {
            ""
        } else {
            "tests/all"
        };
        let text = read(&repository().join(folder).join(&file));
        let signature = format!("fn {test}()");
        let at = text.find(&signature);
        let at = at.unwrap_or_else(|| panic!("{file} has no test {test}"));
        let before = text[..at].trim_end_matches("async ").trim_end();
        let attribute = before.rsplit('\n').next().unwrap_or_default().trim();
        assert!(
            attribute.starts_with("#[test]") || attribute.starts_with("#[tokio::test"),
            "{file}: {test} is no test: {attribute}"
        );
    }
}

/// The statements of a page on security: its bullets, and paragraphs that say at once what holds or
/// what does not. What is protected is a list of things.
fn statements(page: &str) -> Vec<String> {
    let body = page.split("\n## Tests\n").next().unwrap_or_default();
    let parts = body.split("\n## ");
    let parts = parts.filter(|part| !part.starts_with("What is protected"));
    let mut found: Vec<String> = Vec::new();
    for part in parts {
        let mut is_open = false;
        for line in part.lines() {
            let begun = ["- ", "What holds: ", "What does not hold: "];
            let begun = begun.iter().find_map(|begin| line.strip_prefix(begin));
            match begun {
                Some(text) => found.push(text.to_owned()),
                None if line.is_empty() || line.starts_with('|') => {}
                None if is_open => {
                    let statement = found.last_mut().expect("one is open");
                    *statement += " ";
                    *statement += line.trim_start();
                }
                None => {}
            }
            is_open = begun.is_some() || (is_open && !line.is_empty() && !line.starts_with('|'));
        }
    }
    found.iter().map(|text| text.replace("**", "")).collect()
}

/// The beginnings of the statements of a page that no test can show, from the table of them.
fn untested<'a>(table: &'a str, page: &str) -> Vec<&'a str> {
    let of_page = table
        .lines()
        .filter(|line| line.contains(&format!("({page})")));
    let beginnings = of_page.map(|line| {
        let mut cells = line.split('|').map(str::trim).skip(2);
        let (statement, why) = (cells.next().expect("a cell"), cells.next().expect("why"));
        assert!(!why.is_empty(), "{line}");
        statement.trim_end_matches(" …")
    });
    beginnings.collect()
}

#[test]
fn each_statement_on_security_names_its_tests_or_says_why_there_is_none() {
    let pages = security_pages();
    let mut seen = 0;
    for (name, page) in &pages {
        let mut unshown = untested(&pages["untested.md"], name);
        let definitions = page.lines().filter_map(|line| {
            let (id, tests) = line.strip_prefix("[^")?.split_once("]: ")?;
            Some((id, tests))
        });
        let definitions: Vec<_> = definitions.collect();
        let mut unused: BTreeSet<_> = definitions.iter().map(|(id, _)| *id).collect();
        assert_eq!(unused.len(), definitions.len(), "{name} says one twice");
        for (id, tests) in &definitions {
            assert!(named_tests(tests).next().is_some(), "{name}: {id}");
        }
        for statement in statements(page) {
            seen += 1;
            let referred: Vec<_> = statement.split("[^").skip(1).collect();
            let untested = unshown.iter().position(|it| statement.starts_with(it));
            match untested {
                Some(at) => {
                    assert!(referred.is_empty(), "{name}: it has a test: {statement}");
                    unshown.remove(at);
                }
                None => assert!(
                    !referred.is_empty() || statement.contains("(evidence.md#"),
                    "{name}: name a test, or say in untested.md why there is none: {statement}"
                ),
            }
            for rest in referred {
                let id = rest.split(']').next().expect("an id");
                let is_defined = definitions.iter().any(|(defined, _)| *defined == id);
                assert!(is_defined, "{name}: [^{id}] is not there");
                unused.remove(id);
            }
        }
        assert!(unshown.is_empty(), "{name} does not say: {unshown:?}");
        assert!(unused.is_empty(), "{name}: nothing refers to {unused:?}");
    }
    assert!(seen > 180, "{seen}");
}

#[test]
fn statements_are_found_with_all_their_lines() {
    let page = "# A\n- **One**\n  goes on.[^a]\n- two\n\nno statement\n\n## What is protected\n- no\n\n\
        ## B\nWhat holds: three\nand more\n| a | table |\n\n## Tests\n- no\n[^a]: `x.rs::y`\n";
    assert_eq!(
        statements(page),
        ["One goes on.[^a]", "two", "three and more"]
    );
    let table =
        "| page | statement | why |\n| [A](a.md) | two … | so |\n| [B](b.md) | three | so |\n";
    assert_eq!(untested(table, "a.md"), ["two"]);
}

/// The steps of a way: each a numbered line, with the lines that are indented below it.
fn steps(way: &str) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for line in way.lines() {
        if line.starts_with(char::is_numeric) {
            steps.push(line.to_owned());
        } else if line.starts_with("   ")
            && let Some(step) = steps.last_mut()
        {
            step.push(' ');
            step.push_str(line.trim_start());
        }
    }
    steps
}

/// The steps of the page on a call that name a file of the host, and in brackets what to look for
/// in it.
#[test]
fn the_way_of_a_call_leads_through_files_that_are_there() {
    let way = read(&repository().join("docs/internals/a-call.md"));
    let mut files = 0;
    for step in steps(&way) {
        let mut text = String::new();
        for quoted in step.split('`').skip(1).step_by(2) {
            if quoted.starts_with("host/") {
                text = read(&repository().join(quoted));
                files += 1;
            } else if step.contains(&format!("(`{quoted}`"))
                || step.contains(&format!(", `{quoted}`)"))
            {
                let is_there = ["fn ", "struct ", "enum "]
                    .iter()
                    .any(|kind| text.contains(&format!("{kind}{quoted}")));
                assert!(is_there, "{step}: there is no {quoted}");
            }
        }
    }
    assert!(files > 12, "{files}");
}
