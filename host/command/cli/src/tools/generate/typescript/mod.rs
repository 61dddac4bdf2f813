//! The global `tools` for editors and compilers; a module for each tool, and one for each server
//! that has them all.

use ampoule_projection::typescript;
use ampoule_tools::{ResolvedTool, ServerIdentifiers};

use super::server::{GeneratedAccount, GeneratedServer};
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
            + &accounts(listed)
            + &offered(server, &listed.offered),
    );
}

/// How scripts choose an account. One with other tools than the server's has a namespace of its own,
/// for its types alone.
fn accounts(listed: &GeneratedServer) -> String {
    let server = &listed.called.typescript;
    if listed.accounts.is_empty() {
        return String::new();
    }
    let own = members(&listed.tools);
    let is_same =
        |account: &&GeneratedAccount| account.tools.is_empty() || members(&account.tools) == own;
    let (same, others): (Vec<_>, Vec<_>) = listed.accounts.iter().partition(is_same);
    let (mut namespaces, mut choices) = (String::new(), String::new());
    let choice = |accounts: &[&GeneratedAccount], given: &str| {
        let accounts = accounts.iter();
        let accounts: Vec<_> = accounts.map(|it| typescript::string(&it.name)).collect();
        let accounts = accounts.join(" | ");
        format!(
            "  /** The tools, called with an account. */\n  export function as(account: {accounts}): {given};\n"
        )
    };
    if !same.is_empty() {
        choices.push_str(&choice(&same, &format!("typeof tools.{server}")));
    }
    for account in others {
        let name = format!("$Accounts.{server}.as_{}", account.name.replace('-', "_"));
        let members = members(&account.tools);
        namespaces.push_str(&format!("declare namespace tools.{name} {{\n{members}"));
        let given = format!("typeof tools.{name} & {{ as: typeof tools.{server}.as }}");
        choices.push_str(&choice(&[account], &given));
    }
    format!("{namespaces}declare namespace tools.{server} {{\n{choices}}}\n")
}

/// The declarations of tools, to the end of their namespace.
fn members(tools: &[ResolvedTool]) -> String {
    let declared = ResolvedTool::typescript_namespace(tools);
    let members = declared.split_once('\n');
    members.map_or_else(String::new, |(_, members)| members.to_owned())
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
