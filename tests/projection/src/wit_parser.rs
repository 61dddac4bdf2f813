//! Whether a package is valid, asked of the parser that every tool for WIT uses.

use ampoule_projection::wit::VALUES;
use wit_parser::{InterfaceId, PackageId, Resolve, TypeDefKind};

/// Panics unless `wit-parser` accepts the package, with a function for each tool.
pub fn assert_valid(package: &str, tools: usize) {
    let (resolve, id) = parsed(package);
    let interface = only_interface(&resolve, id);
    assert_eq!(
        resolve.interfaces[interface].functions.len(),
        tools,
        "{package}"
    );
}

/// The interface with the tools, which has the package's name.
fn only_interface(resolve: &Resolve, id: PackageId) -> InterfaceId {
    let package = &resolve.packages[id];
    assert_eq!(package.interfaces.len(), 1);
    package.interfaces[&package.name.name]
}

/// The package as it is understood, beside those that it uses.
pub fn parsed(package: &str) -> (Resolve, PackageId) {
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

/// What a package is made of: each of its types and functions, without names and docs.
pub(super) fn shape(package: &str) -> String {
    let (resolve, id) = parsed(package);
    let tools = &resolve.interfaces[only_interface(&resolve, id)];
    let types = tools
        .types
        .values()
        .map(|id| match &resolve.types[*id].kind {
            TypeDefKind::Record(record) => {
                let fields = record.fields.iter().map(|field| field.ty);
                format!("record {:?}", fields.collect::<Vec<_>>())
            }
            TypeDefKind::Variant(variant) => {
                let cases = variant.cases.iter().map(|case| case.ty);
                format!("variant {:?}", cases.collect::<Vec<_>>())
            }
            TypeDefKind::Enum(values) => format!("enum {}", values.cases.len()),
            other => format!("{other:?}"),
        });
    let functions = tools.functions.values().map(|function| {
        let parameters = function.params.iter().map(|parameter| parameter.ty);
        format!(
            "function {:?} {:?}",
            parameters.collect::<Vec<_>>(),
            function.result
        )
    });
    super::said::lines(types.chain(functions))
}
