//! Each file of the host that uses what only Linux or Unix has is in `docs/internals/systems.md`, and
//! each file there is such a file.

use std::collections::BTreeSet;

use ampoule_tests::repository;

use super::sources;

/// What such a file has, outside of comments and tests.
const MARKS: [&str; 12] = [
    "rustix::",
    "libc::",
    "std::os::unix",
    "std::os::linux",
    "std::os::fd",
    "\"/proc/",
    "cfg(unix",
    "cfg(windows",
    "cfg(target_os",
    "tokio::signal::unix",
    "UnixStream",
    "UnixListener",
];

fn is_of_one_system(text: &str) -> bool {
    let (code, _) = text
        .split_once("#[cfg(test)]\nmod tests {")
        .unwrap_or((text, ""));
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .any(|line| MARKS.iter().any(|mark| line.contains(mark)))
}

#[test]
fn the_page_on_systems_has_each_place() {
    let page = std::fs::read_to_string(repository().join("docs/internals/systems.md"));
    let page = page.expect("the page");
    let rows = page.lines().filter(|line| line.starts_with("| `host/"));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    let listed: BTreeSet<String> = cells
        .flat_map(|cell| cell.split('`').filter(|part| part.starts_with("host/")))
        .map(str::to_owned)
        .collect();
    let of_one_system: BTreeSet<String> = sources()
        .iter()
        .filter_map(|path| {
            let name = path.strip_prefix(repository()).ok()?.to_str()?;
            let is_test = name.contains("/tests/") || name.ends_with("/tests.rs");
            let is_source = name.starts_with("host/") && name.contains("/src/") && !is_test;
            let text = is_source.then(|| std::fs::read_to_string(path).expect("text"))?;
            is_of_one_system(&text).then(|| name.to_owned())
        })
        .collect();
    let missing: Vec<_> = of_one_system.difference(&listed).collect();
    assert!(
        missing.is_empty(),
        "docs/internals/systems.md lacks {missing:?}"
    );
    let portable: Vec<_> = listed.difference(&of_one_system).collect();
    assert!(
        portable.is_empty(),
        "docs/internals/systems.md lists what needs no system of its own: {portable:?}"
    );
}

#[test]
fn comments_and_tests_are_not_such_a_place() {
    assert!(is_of_one_system("use rustix::fs::OFlags;\n"));
    assert!(!is_of_one_system("//! As `rustix::fs` has it.\n"));
    assert!(!is_of_one_system(
        "fn f() {}\n#[cfg(test)]\nmod tests {\n    use std::os::unix::fs::symlink;\n}\n"
    ));
}
