//! A TypeScript module for each tool, and one for each server that has them all.

use ampoule_projection::{Detail, names, typescript};
use ampoule_tools::ResolvedTool;

use super::tree::Tree;

/// The module that calls tools. Ampoule has one of its own under this name.
const CLIENT: &str = "\
declare global {
  /** Calls a tool by its server's name and its own. Ampoule gives it to every script. */
  function callMCPTool(name: string, args?: object): Promise<any>;
}

export const callMCPTool = (name: string, args?: object): Promise<any> =>
  globalThis.callMCPTool(name, args);
";

pub(super) fn add(servers: &[Vec<ResolvedTool>], tree: &mut Tree) {
    tree.add("servers/client.ts", CLIENT);
    for tools in servers {
        let Some(first) = tools.first() else { continue };
        let server = names::camel_case(first.server());
        let mut index = String::new();
        for tool in tools {
            let name = tool.identifier();
            // The server's own module has that name.
            let file = if name == "index" { "index_" } else { name };
            index.push_str(&format!("export {{ {name} }} from \"./{file}\";\n"));
            tree.add(format!("servers/{server}/{file}.ts"), module(tool, &server));
        }
        tree.add(format!("servers/{server}/index.ts"), index);
    }
}

/// The module of a tool: its declaration, and a function of that type.
fn module(tool: &ResolvedTool, server: &str) -> String {
    let name = tool.identifier();
    let called = typescript::string(&format!("{}__{}", tool.server(), tool.name()));
    format!(
        "import {{ callMCPTool as $call }} from \"../client\";\n\n{}\nconst $tool: typeof tools.{server}.{name} = (args?: object) => $call({called}, args);\nexport {{ $tool as {name} }};\n",
        tool.declare(Detail::Full)
    )
}
