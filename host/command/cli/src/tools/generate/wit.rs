//! Packages in WIT, and the world of a component that may call their tools.

use ampoule_projection::wit::{self, Calling};
use ampoule_tools::{ResolvedTool, ServerIdentifiers};

use super::server::GeneratedServer;
use super::tree::Tree;

/// The package that says what the host does for guests.
const PACKAGE: &str = "package ampoule:guest@0.1.0;\n";

/// Its interfaces that components use beside their tools.
const INTERFACES: [(&str, &str); 4] = [
    ("values", ampoule_projection::wit::VALUES),
    ("console", include_str!("../../../../../../wit/console.wit")),
    ("clock", include_str!("../../../../../../wit/clock.wit")),
    ("random", include_str!("../../../../../../wit/random.wit")),
];

/// `kept` are servers whose packages are there from an earlier time.
pub(super) fn add(
    servers: &[GeneratedServer],
    kept: &[&ServerIdentifiers],
    calling: Calling,
    tree: &mut Tree,
) {
    let func = calling.keyword();
    let mut imports = String::new();
    for package in servers
        .iter()
        .filter_map(|server| ResolvedTool::package(&server.tools))
    {
        imports.push_str(&format!("    import {};\n", package.interface()));
        let folder = package.name().replace('%', "");
        tree.add(
            format!("wit/deps/mcp-{folder}/tools.wit"),
            package.written(calling),
        );
    }
    for server in kept {
        let interface = wit::interface_of(&server.package);
        imports.push_str(&format!("    import {interface};\n"));
    }
    for (name, interface) in INTERFACES {
        tree.add(
            format!("wit/deps/ampoule-guest/{name}.wit"),
            format!("{PACKAGE}\n{interface}"),
        );
    }
    tree.add(
        "wit/world.wit",
        format!(
            "package local:program;

/// A program that calls tools. What it does not use is not imported in the end.
world program {{
{imports}
    import ampoule:guest/console@0.1.0;
    import ampoule:guest/clock@0.1.0;
    import ampoule:guest/random@0.1.0;

    /// Runs the program. The arguments are JSON, and so is the result; an error is a text.
    export run: {func}(arguments: string) -> result<string, string>;
}}
"
        ),
    );
}
