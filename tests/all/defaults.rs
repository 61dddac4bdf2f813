//! The limits of a run have one table, in `host/base/limits`. Whatever else says a limit's name,
//! default or ceiling is held against it here. `BLESS=1` writes `docs/reference/limits.md` anew.

use std::fs;

use ampoule::{Limit, Limits};
use ampoule_config::Config;
use ampoule_tests::repository;

fn read(path: &str) -> String {
    fs::read_to_string(repository().join(path)).expect(path)
}

/// The example shows the defaults, so that somebody who copies a table changes nothing.
#[test]
fn the_example_of_a_configuration_has_the_defaults() {
    let config = Config::load(&repository().join("examples/ampoule.toml")).expect("it is valid");
    let other = Limits {
        calls: 0,
        ..Limits::default()
    };
    assert_eq!(config.limits.over(other), Limits::default());
    assert_eq!(config.ceilings.over(other), Limits::default_ceilings());
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('-');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |joined, word| {
        joined + &word[..1].to_uppercase() + &word[1..]
    })
}

/// What documentation says of a limit's default.
fn said(limit: Limit) -> String {
    format!("Default {}", limit.shown(limit.of(&Limits::default())))
}

#[test]
fn comments_in_rust_have_the_defaults() {
    for limit in Limit::ALL {
        let description: Vec<_> = limit.description().split_whitespace().collect();
        let description = description.join(" ");
        assert!(description.contains(&said(limit)), "{limit}: {description}");
    }
}

#[test]
fn comments_of_the_types_for_node_have_the_defaults() {
    let text = read("host/bind/node/index.d.ts");
    for limit in Limit::ALL {
        let declared = format!("\n  {}?: Amount", camel_case(limit.name()));
        let (before, _) = text.split_once(&declared).expect(&declared);
        let comment = before.lines().next_back().unwrap_or_default();
        assert!(comment.contains(&said(limit)), "{limit}: {comment}");
    }
}

#[test]
fn the_class_for_python_has_each_limit() {
    let text = read("host/bind/python/python/pyampoule/_limits.py");
    for limit in Limit::ALL {
        let name = limit.name().replace('-', "_");
        let default = limit.shown(limit.of(&Limits::default()));
        let said = format!("- `{name}`: {default}");
        assert!(text.contains(&format!("    {name}: ")), "{name}");
        assert!(text.contains(&said), "no line {said:?}");
    }
}

#[test]
fn the_document_is_what_the_table_says() {
    let (defaults, ceilings) = (Limits::default(), Limits::default_ceilings());
    let mut rows = String::new();
    for limit in Limit::ALL {
        let shown = |amount| limit.shown(amount);
        let (default, ceiling) = (limit.of(&defaults), limit.of(&ceilings));
        rows += &format!(
            "| `{}` | {} | {} | {} | {} |\n",
            limit.name(),
            shown(default),
            shown(ceiling),
            shown(limit.least()),
            limit.summary(),
        );
    }
    let path = "docs/reference/limits.md";
    let text = read(path);
    let head =
        "| limit | default | ceiling | least | what it bounds |\n| --- | --- | --- | --- | --- |\n";
    let (before, rest) = text.split_once(head).expect("the table");
    let (_, after) = rest.split_once("\n\n").expect("the table's end");
    let expected = format!("{before}{head}{rows}\n{after}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(repository().join(path), &expected).expect("the document is written");
    }
    assert_eq!(text, expected, "BLESS=1 writes it");
}
