//! Whether a package is valid, asked of the parser that every tool for WIT uses.

use wit_parser::{PackageId, Resolve};

use crate::projection::wit::VALUES;

/// Panics unless `wit-parser` accepts the package, with a function for each tool.
pub(crate) fn assert_valid(package: &str, tools: usize) {
    let (resolve, id) = parsed(package);
    let interface = resolve.packages[id].interfaces["tools"];
    assert_eq!(
        resolve.interfaces[interface].functions.len(),
        tools,
        "{package}"
    );
}

/// The package as it is understood, beside those that it uses.
pub(crate) fn parsed(package: &str) -> (Resolve, PackageId) {
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
    (resolve, id)
}
