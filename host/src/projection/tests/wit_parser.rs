//! Whether a package is valid, asked of the parser that every tool for WIT uses.

use wit_parser::Resolve;

use super::super::wit::VALUES;

/// Panics unless `wit-parser` accepts the package, with a function for each tool.
pub(super) fn assert_valid(package: &str, tools: usize) {
    let mut resolve = Resolve::default();
    resolve
        .push_str(
            "values.wit",
            &format!("package ampoule:guest@0.1.0;\n{VALUES}"),
        )
        .unwrap();
    let id = resolve
        .push_str("tools.wit", package)
        .unwrap_or_else(|error| panic!("{error:?}\n{package}"));
    let interface = resolve.packages[id].interfaces["tools"];
    assert_eq!(
        resolve.interfaces[interface].functions.len(),
        tools,
        "{package}"
    );
}
