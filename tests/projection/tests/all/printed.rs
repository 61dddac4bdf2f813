//! Packages that other tools for WIT print again, as `wasm-tools component wit` does.

use ampoule_projection_tests::{json_files, parsed, tools_in, wit};
use serde_json::{Value, to_value};
use wit_component::WitPrinter;
use wit_parser::Resolve;

#[test]
fn a_package_means_the_same_when_it_was_printed_again() {
    for folder in ["tools", "projection"] {
        for path in json_files(folder) {
            let name = path.file_stem().unwrap().to_str().unwrap();
            let (resolve, id) = parsed(&wit(name, &tools_in(&path)));
            let mut printer = WitPrinter::default();
            printer.print(&resolve, id, &[]).unwrap();
            let printed = printer.output.to_string();
            let (again, _) = parsed(&printed);
            assert!(
                meaning(&resolve) == meaning(&again),
                "{name} has become\n{printed}"
            );
        }
    }
}

/// Interfaces with their functions and types, docs and all, without the places in the text that
/// they came from.
fn meaning(resolve: &Resolve) -> Value {
    to_value(resolve).unwrap()
}
