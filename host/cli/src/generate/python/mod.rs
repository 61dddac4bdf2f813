//! A Python stub for each server, and stubs of what else scripts have. Each is a package: of a module
//! without one, pyright says that its source is missing.

use ampoule_projection::names;
use ampoule_tools::ResolvedTool;

use super::tree::Tree;

/// The module `tools`, and what scripts have without an import: `__builtins__.pyi` tells pyright.
const TOOLS: &str = include_str!("tools.pyi");
const BUILTINS: &str = include_str!("builtins.pyi");

/// What scripts import that were written for container bridges.
const RUNTIME: &str = include_str!("runtime.pyi");
const BRIDGE: &str = "from . import runtime as runtime, servers as servers\n";

/// What `tools` has of its own, which comes before servers of the same name.
const OWN: [&str; 3] = ["describe", "search", "servers"];

/// `kept` are servers whose stubs are there from an earlier time.
pub(super) fn add(servers: &[Vec<ResolvedTool>], kept: &[&str], tree: &mut Tree) {
    let mut modules: Vec<String> = Vec::new();
    for tools in servers {
        let Some(first) = tools.first() else { continue };
        let server = names::snake_case(first.server());
        tree.add(
            format!("servers/{server}/__init__.pyi"),
            ResolvedTool::python_module(tools),
        );
        modules.push(server);
    }
    modules.extend(kept.iter().map(|server| names::snake_case(server)));
    let all = |from: &str, wanted: fn(&&String) -> bool| -> String {
        let modules = modules.iter().filter(wanted);
        modules
            .map(|server| format!("from {from} import {server} as {server}\n"))
            .collect()
    };
    let others = |server: &&String| !OWN.contains(&server.as_str());
    let in_bridges = modules.iter();
    let in_bridges = in_bridges.map(|server| format!("mcp_{server} = {server}\n"));
    tree.add("servers/__init__.pyi", all(".", |_| true));
    // Marks the package as typed, for those who check what uses it.
    tree.add("servers/py.typed", "");
    tree.add("tools/__init__.pyi", all("servers", others) + TOOLS);
    tree.add(
        "__builtins__.pyi",
        BUILTINS.to_owned() + &all("servers", |_| true) + &in_bridges.collect::<String>(),
    );
    tree.add("mcp/__init__.pyi", BRIDGE);
    tree.add("mcp/servers/__init__.pyi", all("servers", |_| true));
    tree.add("mcp/runtime/__init__.pyi", RUNTIME);
}
