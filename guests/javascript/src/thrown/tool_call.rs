//! Which call in the sources a tool's error comes from.
//!
//! Nothing is noted when a call starts: that would cost more than the call. A failed call that something awaits tells the line
//! that awaits; where a program names a tool once, as most do, its name leads to the call itself.

use crate::modules::{Modules, Source};

use super::sites::{Kind, Site};

/// Functions that take the tool's name.
const BY_NAME: [&str; 2] = ["callMCPTool", "callTool"];

/// How surely a call is one of the tool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Likeness {
    /// A function of that name, which may be the script's own.
    Function,
    /// A method of that name.
    Method,
    /// The server's method, or a call by the tool's name.
    Tool,
}

/// The one place that calls a tool, as an offset in the text that was evaluated. None where there are several.
pub(super) fn tool_call<'m>(
    modules: &'m Modules,
    server: &str,
    tool: &str,
) -> Option<(&'m Source, u32)> {
    let (server, tool) = (folded(server), folded(tool));
    let mut best = None;
    let mut calls = Vec::new();
    for source in modules.sources() {
        for site in source.sites() {
            let found = likeness(&source.text, site, &server, &tool);
            if found > best {
                best = found;
                calls.clear();
            }
            if found.is_some() && found == best {
                calls.push((source, site.at));
            }
        }
    }
    match calls.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

fn likeness(text: &str, site: &Site, server: &str, tool: &str) -> Option<Likeness> {
    let callee = site.subject.filter(|_| site.kind == Kind::Call)?;
    let name = text.get(site.at as usize..callee.end as usize)?;
    if BY_NAME.contains(&name) {
        let named = folded(site.name?.source_text(text));
        return named.ends_with(tool).then_some(Likeness::Tool);
    }
    let all = folded(callee.source_text(text));
    let name = folded(name);
    let rest = name.strip_suffix(tool)?;
    // Brackets and `server__tool` have the server's name before it.
    if rest.is_empty() || rest.ends_with(server) {
        let method = callee.source_text(text).contains(['.', '[']);
        let of_server = all.strip_suffix(tool)?.ends_with(server);
        return Some(match (of_server, method) {
            (true, _) => Likeness::Tool,
            (false, true) => Likeness::Method,
            (false, false) => Likeness::Function,
        });
    }
    None
}

/// A name as those that may stand for it have in common: `get_document` and `getDocument`.
fn folded(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}
