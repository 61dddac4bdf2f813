//! `docs/reference/api-c.md`: what the header of the C library declares.

use ampoule_tests::repository;

use super::holds;

const HEAD: &str = "\
# C

What [`ampoule.h`](../../host/bind/c/include/ampoule.h) declares. [C, in full](../guides/c.md) has
examples, the options and the documents in JSON.
";

/// A header without what only preprocessors need.
fn declarations(header: &str) -> String {
    let mut shown = String::new();
    let mut is_of_cpp = false;
    for line in header.lines() {
        match line {
            "#ifdef __cplusplus" => is_of_cpp = true,
            _ if line.starts_with("#endif") => is_of_cpp = false,
            _ if is_of_cpp || line.contains("AMPOULE_H") || line.starts_with("/* Generated") => {}
            "" if shown.ends_with("\n\n") => {}
            _ => {
                shown += line;
                shown.push('\n');
            }
        }
    }
    shown.trim_end().to_owned()
}

#[test]
fn the_header_is_on_the_page() {
    let path = repository().join("host/bind/c/include/ampoule.h");
    let header = std::fs::read_to_string(path).expect("the header");
    let shown = declarations(&header);
    let functions = |text: &str| text.matches(");\n").count();
    assert!(functions(&header) > 15, "{header}");
    assert_eq!(
        functions(&format!("{shown}\n")),
        functions(&header),
        "{shown}"
    );
    assert!(!shown.contains("extern"), "{shown}");
    holds("api-c.md", &format!("{HEAD}\n```c\n{shown}\n```\n"));
}
