//! How the documents are written: each page in the table of contents, short enough to read, wrapped,
//! and in plain words.
//!
//! - `messages`: the same words in what the host says

mod messages;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use ampoule_tests::repository;

/// How many lines a page may have, by the beginning of its path; the first that fits counts.
const BUDGETS: [(&str, usize); 19] = [
    ("README.md", 150),
    ("SECURITY.md", 60),
    ("CONTRIBUTING.md", 120),
    ("CODE_OF_CONDUCT.md", 40),
    ("ARCHITECTURE.md", 150),
    ("docs/index.md", 70),
    ("docs/start/install.md", 130),
    ("docs/start/", 100),
    ("docs/guides/python.md", 305),
    ("docs/guides/node.md", 305),
    ("docs/guides/c.md", 250),
    ("docs/guides/components.md", 302),
    ("docs/clients/README.md", 82),
    ("docs/clients/", 46),
    ("docs/cookbook/", 42),
    ("docs/migrate/", 62),
    ("docs/reference/", 2_500),
    ("docs/SUMMARY.md", 180),
    ("docs/", 130),
];
/// How wide a line may be, but for tables, code, and what has no place to break.
const COLUMNS: usize = 100;

/// Phrases that read translated, each with what to write instead.
const PHRASES: [(&str, &str); 23] = [
    (" is no ", "is not a, has no"),
    (" are no ", "are not, have no"),
    ("gone on with", "resumed"),
    (" goes on ", "resumes, continues"),
    (" go on ", "resume, continue"),
    ("there is no such", "unknown"),
    (" is told of", "gets"),
    (" are told of", "get"),
    ("who floods", "a client that floods"),
    (" mend", "fix"),
    ("nobody waits", "name who waits"),
    ("is none of", "is not one of"),
    ("what there is none of", "what is missing"),
    ("blotted out", "redacted"),
    ("a word on", "says how"),
    ("whoever", "a noun: a client, a user"),
    ("is of use", "is useful"),
    ("of no use", "useless, has no effect"),
    (" tells of ", "reports, says"),
    (" tell of ", "report, say"),
    ("that there is not", "unknown"),
    ("wants to know", "asks for, needs"),
    ("kept back", "withheld"),
];

/// The documents that people read: all of them but for lists of changes, what others made, and what
/// tests keep.
fn documents() -> Vec<PathBuf> {
    let root = repository();
    let at_root = [
        "README",
        "SECURITY",
        "CONTRIBUTING",
        "CODE_OF_CONDUCT",
        "ARCHITECTURE",
        "STYLE",
        "CHANGELOG",
    ];
    let mut found: Vec<_> = at_root
        .iter()
        .map(|name| root.join(format!("{name}.md")))
        .collect();
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("text")
}

fn in_repository(path: &Path) -> String {
    let path = path.strip_prefix(repository()).expect("a document");
    path.to_string_lossy().into_owned()
}

/// The lines of a document that are prose, with their numbers: no code, no tables.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut is_code, mut is_generated) = (false, false);
    let lines = text.lines().enumerate();
    lines.filter_map(move |(index, line)| {
        // What the comparison writes is held to its report.
        if line.contains("<!-- compare -->") || line.contains("<!-- /compare -->") {
            is_generated = !is_generated;
        }
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
            return None;
        }
        let is_prose = !is_code
            && !is_generated
            && !["|", "<!--", "!["]
                .iter()
                .any(|begin| line.starts_with(begin));
        is_prose.then_some((index + 1, line))
    })
}

/// A line without what stands in backticks: names and code.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

#[test]
fn the_table_of_contents_has_each_page_once() {
    let docs = repository().join("docs");
    let contents = read(&docs.join("SUMMARY.md"));
    let links = contents.split("](").skip(1);
    let links: Vec<_> = links.filter_map(|rest| rest.split(')').next()).collect();
    let listed: BTreeSet<_> = links.iter().map(|link| (*link).to_owned()).collect();
    assert_eq!(listed.len(), links.len(), "a page is there twice");
    let pages = documents().into_iter();
    let pages = pages.filter_map(|page| {
        Some(
            page.strip_prefix(&docs)
                .ok()?
                .to_string_lossy()
                .into_owned(),
        )
    });
    let pages: BTreeSet<_> = pages.filter(|page| page != "SUMMARY.md").collect();
    assert_eq!(listed, pages);
}

#[test]
fn pages_are_short_enough_to_read() {
    let mut long = Vec::new();
    for document in documents() {
        let (path, lines) = (in_repository(&document), read(&document).lines().count());
        let budget = BUDGETS.iter().find(|(begin, _)| path.starts_with(begin));
        if let Some((_, budget)) = budget.filter(|(_, budget)| lines > *budget) {
            long.push(format!("{path} has {lines} lines of {budget}"));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn lines_are_wrapped() {
    let mut wide = Vec::new();
    let all = crate::documents::documents().into_iter();
    let corpora = repository().join("tests/corpora");
    let own: Vec<_> = all.filter(|path| !path.starts_with(&corpora)).collect();
    assert!(own.len() > documents().len() + 5, "{}", own.len());
    for document in own {
        let path = in_repository(&document);
        for (number, line) in prose(&read(&document)) {
            // A link or a name has no place to break.
            let longest = line.split(' ').map(|word| word.chars().count()).max();
            if line.chars().count() > COLUMNS && longest < Some(COLUMNS / 2) {
                wide.push(format!("{path}:{number}"));
            }
        }
    }
    assert!(
        wide.is_empty(),
        "above {COLUMNS} columns:\n{}",
        wide.join("\n")
    );
}

/// Whether a text has a figure with a unit, such as `3 ms`.
fn has_figure(text: &str) -> bool {
    const UNITS: [&str; 8] = ["µs", "ms", "KiB", "MiB", "GiB", "MB", "%", "×"];
    UNITS.iter().any(|unit| {
        text.match_indices(unit).any(|(at, _)| {
            let before = text[..at].trim_end();
            let is_word = text[at + unit.len()..].starts_with(char::is_alphanumeric);
            before.ends_with(|character: char| character.is_ascii_digit()) && !is_word
        })
    })
}

/// Where a test or a program writes figures. All others would grow old unseen.
const WITH_FIGURES: [&str; 4] = [
    "README.md",
    "docs/explain/benchmarks.md",
    "docs/guides/tokens.md",
    "docs/reference/",
];

#[test]
fn figures_stand_where_they_are_held() {
    let mut found = Vec::new();
    for document in documents() {
        let path = in_repository(&document);
        if WITH_FIGURES.iter().any(|begin| path.starts_with(begin)) {
            continue;
        }
        let text = read(&document);
        let lines = prose(&text).chain(
            (text.lines().enumerate())
                .filter(|(_, line)| line.starts_with('|'))
                .map(|(index, line)| (index + 1, line)),
        );
        for (number, line) in lines {
            let line: String = line.split('`').step_by(2).collect();
            if has_figure(&line) {
                found.push(format!("{path}:{number}: {line}"));
            }
        }
    }
    assert!(
        found.is_empty(),
        "link to where it is held:\n{}",
        found.join("\n")
    );
}

/// Whether a line has a phrase. "There is no thing" says that something is missing, and "is no
/// longer" that it was there; neither is meant.
fn says(line: &str, phrase: &str) -> bool {
    line.match_indices(phrase).any(|(at, _)| {
        let is_missing = !phrase.starts_with("there") && line[..at].ends_with("there");
        let after = &line[at + phrase.len()..];
        let is_past =
            phrase.ends_with(" no ") && ["longer", "more "].iter().any(|it| after.starts_with(it));
        !is_missing && !is_past
    })
}

/// The phrases of a text that read translated, each with what to write instead.
fn faults(text: &str) -> Vec<String> {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!(" {}", without_code(&words).to_lowercase());
    let faults = PHRASES.iter().filter(|(phrase, _)| says(&line, phrase));
    let faults = faults.map(|(phrase, instead)| format!("`{}`: write {instead}", phrase.trim()));
    faults.collect()
}

#[test]
fn words_are_plain() {
    let mut found = Vec::new();
    for document in documents() {
        let path = in_repository(&document);
        // Both name such phrases as what not to write; the page of commands is held by the help.
        if ["STYLE.md", "CONTRIBUTING.md"].contains(&&*path) {
            continue;
        }
        for (index, line) in read(&document).lines().enumerate() {
            let faults = faults(line).into_iter();
            found.extend(faults.map(|fault| format!("{path}:{}: {fault}", index + 1)));
        }
    }
    assert!(
        found.is_empty(),
        "{} places:\n{}",
        found.len(),
        found.join("\n")
    );
}
