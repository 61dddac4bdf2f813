//! A crate in Rust that is ready to build: the packages in WIT, and a program that calls one of the
//! tools.
//!
//! The packages follow the servers. The program and its manifest are starters for people to extend.
//!
//! - `call`: which tool is called, and what the program says of it
//! - `expression`: how its sample arguments are written in Rust

mod call;
mod expression;

use ampoule_projection::wit::Calling;
use ampoule_tools::{ResolvedTool, ServerIdentifiers};

use super::server::GeneratedServer;
use super::tree::Tree;
use call::{Call, PackagedServer};

const MANIFEST: &str = include_str!("Cargo.toml.txt");
const PROGRAM: &str = include_str!("lib.rs.txt");

/// What stands in `lib.rs.txt` for what the program's call needs, and for the call.
const USES: &str = "USES\n";
const PARAMETER: &str = "PARAMETER";
const BODY: &str = "        BODY\n";

pub(super) fn add(servers: &[GeneratedServer], kept: &[&ServerIdentifiers], tree: &mut Tree) {
    super::wit::add(servers, kept, Calling::Async, tree);
    let packages: Vec<_> = servers
        .iter()
        .filter_map(|server| {
            let package = ResolvedTool::package(&server.tools)?;
            let tools = server.tools.iter().map(ResolvedTool::definition).collect();
            Some(PackagedServer { package, tools })
        })
        .collect();
    tree.add_starter("Cargo.toml", MANIFEST);
    tree.add_starter("src/lib.rs", program(call::choose(&packages).as_ref()));
}

/// The program, with the call of a tool if there is one that can be called.
fn program(call: Option<&Call>) -> String {
    let (uses, parameter, body) = match call {
        Some(call) => (call.uses(), "_arguments", call.body()),
        None => (String::new(), "arguments", NO_TOOL.to_owned()),
    };
    // The body last: it has text of the server's.
    PROGRAM
        .replace(USES, &uses)
        .replace(PARAMETER, parameter)
        .replace(BODY, &body)
}

/// The program's body if there is no tool to call.
const NO_TOOL: &str = "        // There is no tool to call: the program returns its arguments.
        Ok(arguments)
";
