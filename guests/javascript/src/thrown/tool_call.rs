//! Which call in the sources a tool's error comes from.
//!
//! Nothing is noted when a call starts: that would cost more than the call. A failed call that
//! something awaits tells the line that awaits; where a program names a tool once, as most do, its
//! name leads to the call itself.

use crate::host::{self, ToolId};
use crate::modules::{Modules, Source};
use crate::tools;

use super::failure::shown;
use super::sites::{Kind, Site};

/// Functions that take the tool's name.
const BY_NAME: [&str; 2] = ["callMCPTool", "callTool"];

/// How surely a call is one of the tool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Likeness {
    /// A function of that name, which may be the script's own.
    Function,
    /// A method of that name.
    Method,
    /// The server's method, or a call by the tool's name.
    Tool,
}

/// The one place that calls a tool, as an offset in the text that was evaluated. None where there
/// are several.
pub(super) fn tool_call<'m>(
    modules: &'m Modules,
    server: &str,
    tool: &str,
) -> Option<(&'m Source, u32)> {
    only_call(modules, server, tool, |_| true).map(|(source, site)| (source, site.at))
}

/// The one place among those that fit that calls a tool.
fn only_call<'m>(
    modules: &'m Modules,
    server: &str,
    tool: &str,
    fits: impl Fn(&Site) -> bool,
) -> Option<(&'m Source, Site)> {
    let mut best = None;
    let mut calls = Vec::new();
    for source in modules.sources() {
        for site in source.sites().iter().filter(|site| fits(site)) {
            let found = likeness(&source.text, site, server, tool);
            if found > best {
                best = found;
                calls.clear();
            }
            if found.is_some() && found == best {
                calls.push((source, *site));
            }
        }
    }
    match calls.as_slice() {
        [only] => Some(*only),
        _ => None,
    }
}

/// A call that nobody awaited, as messages name it.
pub(crate) struct UnawaitedCall {
    /// `server.tool`.
    tool: String,
    /// ` in line 1`, where that is certain.
    place: String,
    /// As the source calls it, or could.
    callee: String,
    /// Whether `await` is there, but waits for a member of the promise.
    inside: bool,
}

impl UnawaitedCall {
    /// A call that has not begun, in this line.
    pub(crate) fn written(tool: String, line: u32, callee: String, inside: bool) -> Self {
        Self {
            tool,
            place: format!(" in line {line}"),
            callee,
            inside,
        }
    }

    /// `the call of server.tool in line 1`, or how many.
    pub(crate) fn name(&self, count: usize) -> String {
        let calls = match count {
            1 => "the call".to_owned(),
            _ => format!("{count} calls"),
        };
        format!("{calls} of {}{}", self.tool, self.place)
    }

    /// What to write instead.
    pub(crate) fn awaited(&self) -> String {
        let callee = &self.callee;
        if self.inside {
            format!("`(await {callee}(…))` in parentheses, for `await` takes all that follows")
        } else {
            format!("`await {callee}(…)`")
        }
    }
}

/// Which call nobody awaited, by its tool.
pub(crate) fn unawaited_call(modules: &Modules, tool: ToolId) -> UnawaitedCall {
    let name = host::tools::name_of(tool);
    let found = only_call(modules, &name.server, &name.tool, |site| !site.awaited);
    let place = found.and_then(|(source, site)| source.location(site.at));
    let place = place.map(|at| match modules.sources() {
        [_] => format!(" in line {}", at.line),
        _ => format!(" in {}:{}", at.module, at.line),
    });
    let callee = found.and_then(|(source, site)| Some((source, site.subject?, site.at)));
    UnawaitedCall {
        place: place.unwrap_or_default(),
        inside: callee.is_some_and(|(source, callee, _)| {
            let before = &source.text[..callee.start as usize];
            before.trim_end().ends_with("await")
        }),
        callee: match callee {
            Some((source, callee, at)) => shown(&source.text, callee, at),
            None => tools::written(tool),
        },
        tool: format!("{}.{}", name.server, name.tool),
    }
}

/// How surely a site calls a tool.
pub(super) fn likeness(text: &str, site: &Site, server: &str, tool: &str) -> Option<Likeness> {
    let (server, tool) = (&*folded(server), &*folded(tool));
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
