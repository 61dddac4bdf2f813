//! Schemas and names that nobody thought of.

use std::ops::Range;

use ampoule_projection::names::{Lookup, Names, Style};
use ampoule_projection_tests::{assert_sound, bytes, name, tool, tools};
use arbitrary::Unstructured;
use serde_json::json;

/// How many schemas the quick tests try. The same each time.
const CASES: u64 = 300;

fn are_declared_soundly(cases: Range<u64>) {
    for case in cases {
        let bytes = bytes(case, 3_000);
        let mut u = Unstructured::new(&bytes);
        let tools = tools(&mut u).unwrap();
        assert_sound(&tools, &mut u);
    }
}

#[test]
fn any_schema_is_declared_soundly() {
    are_declared_soundly(0..CASES);
}

/// Among the tests that take long.
mod often {
    #[test]
    fn any_schema_is_declared_soundly() {
        super::are_declared_soundly(super::CASES..1_500);
    }
}

#[test]
fn a_type_that_no_document_of_a_sensible_size_has_is_passed_over() {
    let schema = json!({ "$ref": "#/$defs/C", "$defs": { "C": { "prefixItems": [{ "$ref": "#/$defs/C" }, { "$ref": "#/$defs/C" }, { "$ref": "#/$defs/C" }] } } });
    let tools = [tool("tool", json!({ "type": "object" }), Some(schema))];
    assert_sound(&tools, &mut Unstructured::new(&[]));
}

#[test]
fn no_names_collide_or_depend_on_their_order() {
    for case in 0..1_500 {
        let bytes = bytes(case, 400);
        let mut u = Unstructured::new(&bytes);
        let mut names: Vec<String> = (0..8).map(|_| name(&mut u).unwrap()).collect();
        names.sort();
        names.dedup();
        for style in [
            Style::Camel,
            Style::Pascal,
            Style::Snake,
            Style::AsciiPascal,
            Style::Kebab,
        ] {
            let forwards = Names::new(names.clone(), style);
            let backwards = Names::new(names.iter().rev().cloned(), style);
            let mut seen = std::collections::HashSet::new();
            for (index, (name, identifier)) in names.iter().zip(forwards.identifiers()).enumerate()
            {
                assert!(
                    seen.insert(identifier),
                    "{identifier:?} stands for two of {names:?}"
                );
                assert_eq!(
                    identifier,
                    &backwards.identifiers()[names.len() - 1 - index],
                    "{names:?}"
                );
                assert_eq!(
                    forwards.find(name),
                    Lookup::One(index),
                    "{name:?} of {names:?}"
                );
            }
        }
    }
}
