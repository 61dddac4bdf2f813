//! The global `tools` for editors and compilers; a module for each tool, and one for each server
//! that has them all.

use ampoule_projection::typescript;
use ampoule_tools::{ResolvedTool, ServerIdentifiers};

use super::GeneratedServer;
use super::tree::Tree;

/// What every script has.
const GLOBALS: &str = include_str!("globals.d.ts");

/// The module that calls tools.
const CLIENT: &str = include_str!("client.ts");

/// Its name: the first that no server has. Ampoule has a module of its own under each.
const CLIENTS: [&str; 3] = ["client", "mcpClient", "callMCPTool"];

/// How scripts are compiled.
const CONFIGURATION: &str = include_str!("tsconfig.json");

/// A program that checks scripts as they are run.
const CHECK: &str = include_str!("check.mjs");

/// A server's part of the global `tools`. No tool's module has such a name.
const NAMESPACE: &str = "tools.global.d.ts";

/// `kept` are servers whose modules are there from an earlier time.
pub(super) fn add(servers: &[GeneratedServer], kept: &[&ServerIdentifiers], tree: &mut Tree) {
    let listed = servers.iter().map(|server| &server.called);
    let identifiers: Vec<&str> = (kept.iter().copied().chain(listed))
        .map(|called| &*called.typescript)
        .collect();
    let is_free = |name: &&&str| !identifiers.contains(*name);
    let client = CLIENTS.iter().find(is_free).unwrap_or(&"client_");
    for server in servers {
        add_server(server, client, tree);
    }
    let references = identifiers.iter();
    let references: String = references
        .map(|server| format!("/// <reference path=\"./servers/{server}/{NAMESPACE}\" />\n"))
        .collect();
    tree.add("tools.d.ts", references + "\n" + GLOBALS);
    tree.add(format!("servers/{client}.ts"), CLIENT);
    tree.add("check.mjs", CHECK);
    tree.add_starter("tsconfig.json", CONFIGURATION);
}

fn add_server(listed: &GeneratedServer, client: &str, tree: &mut Tree) {
    let server = &listed.called.typescript;
    let mut index = String::new();
    for tool in &listed.tools {
        // Of several accounts, the default is called.
        let own = match listed.accounts.is_empty() {
            true => tool.server(),
            false => tool.its_server().without_account(),
        };
        let called = typescript::string(&format!("{own}__{}", tool.name()));
        let Some(module) = tool.typescript_module(&format!("$call({called}, args, options)"))
        else {
            continue;
        };
        let name = module.function;
        // The server's own module has that name.
        let file = if name == "index" { "index_" } else { &name };
        let types = module.types.join(", type ");
        index.push_str(&format!(
            "export {{ {name}, type {types} }} from \"./{file}.js\";\n"
        ));
        let import = format!("import {{ callMCPTool as $call }} from \"../{client}.js\";\n\n");
        tree.add(format!("servers/{server}/{file}.ts"), import + &module.text);
    }
    if !index.is_empty() {
        tree.add(format!("servers/{server}/index.ts"), index);
    }
    tree.add(
        format!("servers/{server}/{NAMESPACE}"),
        ResolvedTool::typescript_namespace(&listed.tools)
            + &accounts(server, &listed.accounts)
            + &offered(server, &listed.offered),
    );
}

/// How scripts choose an account.
fn accounts(server: &str, accounts: &[String]) -> String {
    if accounts.is_empty() {
        return String::new();
    }
    let accounts: Vec<String> = accounts.iter().map(|it| typescript::string(it)).collect();
    let accounts = accounts.join(" | ");
    format!(
        "declare namespace tools.{server} {{\n  /** The tools, called with an account. */\n  export function as(account: {accounts}): typeof tools.{server};\n}}\n"
    )
}

/// What a server offers besides its tools, with the types that the global `tools` has for it.
fn offered(server: &str, offered: &[ResolvedTool]) -> String {
    if offered.is_empty() {
        return String::new();
    }
    let each = offered.iter().map(|offered| {
        let (name, said) = (offered.identifier(), offered.summary().description);
        format!("  /** {said} */\n  export const {name}: $Offered[\"{name}\"];\n")
    });
    let each: String = each.collect();
    format!("declare namespace tools.{server} {{\n{each}}}\n")
}
