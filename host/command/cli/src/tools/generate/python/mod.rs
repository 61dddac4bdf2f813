//! A Python stub for each server, and stubs of what else scripts have. Each is a package: of a module
//! without one, pyright says that its source is missing.

use ampoule_tools::{ResolvedTool, ServerIdentifiers};

use super::server::GeneratedServer;
use super::tree::Tree;

/// The module `tools`, and what scripts have without an import: `__builtins__.pyi` tells pyright.
const TOOLS: &str = include_str!("tools.pyi");
const BUILTINS: &str = include_str!("builtins.pyi");

/// What servers may have besides tools: `read` is `_read` of a server.
const OFFERED: &str = include_str!("offered.pyi");

/// What scripts import that were written for container bridges.
const RUNTIME: &str = include_str!("runtime.pyi");
const BRIDGE: &str = "from . import runtime as runtime, servers as servers\n";

/// The module of Ampoule's own that scripts import.
const PAGES: &str = include_str!("pages.pyi");

/// What `tools` has of its own, which comes before servers of the same name.
const OWN: [&str; 3] = ["describe", "search", "servers"];

/// `kept` are servers whose stubs are there from an earlier time.
pub(super) fn add(servers: &[GeneratedServer], kept: &[&ServerIdentifiers], tree: &mut Tree) {
    let mut modules: Vec<String> = Vec::new();
    for listed in servers {
        let server = listed.called.python.clone();
        let stub =
            ResolvedTool::python_module(&listed.tools) + &accounts(listed, tree) + &offered(listed);
        tree.add(format!("servers/{server}/__init__.pyi"), stub);
        modules.push(server);
    }
    modules.extend(kept.iter().map(|server| server.python.clone()));
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
    tree.add("tools/_offered.pyi", OFFERED);
    tree.add(
        "__builtins__.pyi",
        BUILTINS.to_owned() + &all("servers", |_| true) + &in_bridges.collect::<String>(),
    );
    tree.add("ampoule/__init__.pyi", "");
    tree.add("ampoule/pages/__init__.pyi", PAGES);
    tree.add("mcp/__init__.pyi", BRIDGE);
    tree.add("mcp/servers/__init__.pyi", all("servers", |_| true));
    tree.add("mcp/runtime/__init__.pyi", RUNTIME);
}

/// How scripts choose an account: accounts with the same tools share a module with their class.
fn accounts(listed: &GeneratedServer, tree: &mut Tree) -> String {
    let mut shared: Vec<AccountsOfModule> = Vec::new();
    for account in &listed.accounts {
        let tools = match account.tools.is_empty() {
            true => &listed.tools,
            false => &account.tools,
        };
        let stub = ResolvedTool::python_account(tools);
        match shared.iter_mut().find(|module| module.stub == stub) {
            Some(module) => module.accounts.push(&account.name),
            None => shared.push(AccountsOfModule {
                stub,
                accounts: vec![&account.name],
            }),
        }
    }
    let server = &listed.called.python;
    let mut out = String::new();
    for module in &shared {
        let name = module.name(&listed.tools);
        out.push_str(&format!("\nfrom . import {name} as {name}\n"));
        tree.add(format!("servers/{server}/{name}.pyi"), module.stub.as_str());
    }
    for module in &shared {
        let accounts = module.accounts.iter();
        let accounts: Vec<_> = accounts.map(|account| format!("\"{account}\"")).collect();
        let overload = if shared.len() > 1 { "@overload\n" } else { "" };
        out.push_str(&format!(
            "\n{overload}def as_(account: Literal[{}]) -> {}.{}: ...\n",
            accounts.join(", "),
            module.name(&listed.tools),
            ResolvedTool::PYTHON_ACCOUNT,
        ));
    }
    out
}

/// A module for the accounts of a server that have the same tools.
struct AccountsOfModule<'a> {
    stub: String,
    accounts: Vec<&'a str>,
}

impl AccountsOfModule<'_> {
    /// `as_home`, unless a tool is called so.
    fn name(&self, tools: &[ResolvedTool]) -> String {
        let mut name = format!("as_{}", self.accounts[0].replace('-', "_"));
        while tools.iter().any(|tool| tool.identifier() == name) {
            name.push('_');
        }
        name
    }
}

/// What a server offers besides its tools. To pyright, a name with `_` at its beginning is the
/// module's own, unless it is imported there by that name and `__all__` has it.
fn offered(listed: &GeneratedServer) -> String {
    if listed.offered.is_empty() {
        return String::new();
    }
    let offered = listed.offered.iter().map(ResolvedTool::identifier);
    let imports: String = offered
        .clone()
        .map(|name| {
            let function = name.trim_start_matches('_');
            format!("from tools._offered import {function} as {name}\n")
        })
        .collect();
    let tools = listed.tools.iter().map(ResolvedTool::identifier);
    let accounts = (!listed.accounts.is_empty()).then_some("as_");
    let all: String = tools
        .chain(accounts)
        .chain(offered)
        .map(|name| format!("    \"{name}\",\n"))
        .collect();
    format!("\n{imports}\n__all__ = [\n{all}]\n")
}
