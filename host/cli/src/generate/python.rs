//! A Python stub for each server.

use ampoule_projection::names;
use ampoule_tools::ResolvedTool;

use super::tree::Tree;

/// `kept` are servers whose stubs are there from an earlier time.
pub(super) fn add(servers: &[Vec<ResolvedTool>], kept: &[&str], tree: &mut Tree) {
    let mut package = String::new();
    for tools in servers {
        let Some(first) = tools.first() else { continue };
        let server = names::snake_case(first.server());
        package.push_str(&format!("from . import {server} as {server}\n"));
        tree.add(
            format!("servers/{server}.pyi"),
            ResolvedTool::python_module(tools),
        );
    }
    for server in kept {
        let server = names::snake_case(server);
        package.push_str(&format!("from . import {server} as {server}\n"));
    }
    tree.add("servers/__init__.pyi", package);
    // Marks the package as typed, for those who check what uses it.
    tree.add("servers/py.typed", "");
}
