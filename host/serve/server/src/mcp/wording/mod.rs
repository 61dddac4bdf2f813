//! What a model reads of Ampoule's tools: the same for as long as the server runs. It is in every
//! conversation, so each word counts.

mod answer;

use ampoule_tools::{GrantedTools, ResolvedTool};

pub(super) use answer::{HitDetail, found};

use crate::content::tokens;

/// The server's instructions.
pub(super) const INSTRUCTIONS: &str = "Ampoule runs scripts that call the tools of other MCP servers. Instead of many single calls, write one script, in TypeScript or Python: \
it calls tools, loops, filters and joins their results, and returns only what you need. Find tools with search_tools, then call execute_code.";

const EXECUTE_CODE: &str = "Runs a script in TypeScript, JavaScript or Python that calls tools: `await tools.<server>.<tool>({...})`, in Python \
`(key=value)` and snake_case. Gives back what it returns and prints; top-level `await` and `return` work. Failed calls throw ToolError. \
Loop, join, filter, call concurrently, return a summary. $HAS \
`await tools.$search(\"words\")`, `await tools.$describe(\"server.tool\")` (Python: without `$` and await) show declarations.";

/// What scripts have besides tools: the description follows from the grant.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Environment {
    /// They may send HTTP requests, to hosts that the operator allows.
    pub(super) requests: bool,
    /// Their files last.
    pub(super) files: bool,
}

impl Environment {
    /// What these tools' runs have, where files last or do not.
    pub(super) fn of(granted: &GrantedTools, files: bool) -> Self {
        let requests = granted.server(ampoule::outbound::NAME).is_ok();
        Self { requests, files }
    }

    fn told(self) -> String {
        let lacks = [("network", !self.requests), ("packages", true)];
        let lacks: Vec<&str> = (lacks.iter())
            .filter_map(|(what, lacks)| lacks.then_some(*what))
            .collect();
        let mut told = format!("No {};", lacks.join(", "));
        if self.requests {
            told += " `fetch` (urllib) reaches allowed hosts alone;";
        }
        told += match self.files {
            true => {
                " files in the current folder (node:fs, open) last, and top-level names in a `session`."
            }
            false => " files last one run, top-level names a `session`.",
        };
        told
    }
}

/// How many tokens the signatures of all tools may take, for the description to have them.
const SIGNATURE_TOKENS: usize = 800;

/// How many tokens servers and the names of their tools may take, for each server. What one server
/// does not need, others have.
const TOKENS_A_SERVER: usize = 12;

/// A server, with the names of its tools where those are known.
type Listed = (String, Option<Vec<String>>);

/// The description of `execute_code`, with a sentence about components if clients may run some, and
/// [the tools](tools).
pub(super) fn execute_code(tools: &str, components: Option<&str>, has: Environment) -> String {
    let mut text = EXECUTE_CODE.replace("$HAS", &has.told());
    if let Some(components) = components {
        text += " ";
        text += components;
    }
    text + tools
}

/// The granted tools as the description has them: in full where all are few, else by as many names
/// as fit.
pub(super) fn tools(granted: &GrantedTools) -> String {
    if granted.servers().next().is_none() {
        return "\nNo servers: scripts only compute.".to_owned();
    }
    signatures(granted, ResolvedTool::in_a_line)
        .or_else(|| signatures(granted, ResolvedTool::signature))
        .unwrap_or_else(|| names(&known_tools(granted)))
}

/// A line for each tool, where all are known and there is room for them. Where there is more room,
/// what servers have besides.
fn signatures(granted: &GrantedTools, line: fn(&ResolvedTool) -> String) -> Option<String> {
    let (mut text, mut taken) = (String::new(), 0);
    for server in granted.servers() {
        for tool in granted.known_tools_of(server)? {
            let line = format!("\n- {}", line(&tool));
            taken += tokens::about(&line);
            if taken > SIGNATURE_TOKENS {
                return None;
            }
            text += &line;
        }
    }
    for offered in granted.offered_in_lines(granted.servers()) {
        let line = format!("\n- {offered}");
        taken += tokens::about(&line);
        if taken <= SIGNATURE_TOKENS {
            text += &line;
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A line for each server. Each in turn has the next of its tools named, as long as there is room.
fn names(catalog: &[Listed]) -> String {
    let room = TOKENS_A_SERVER * catalog.len();
    let mut lines: Vec<Line> = catalog.iter().map(Line::of).collect();
    let mut taken: usize = lines.iter().map(Line::tokens).sum();
    let mut growing = true;
    while growing {
        growing = false;
        for line in &mut lines {
            let Some(longer) = line.longer() else {
                continue;
            };
            let with_it = taken + longer.tokens() - line.tokens();
            if with_it <= room {
                (*line, taken, growing) = (longer, with_it, true);
            }
        }
    }
    lines.iter().map(Line::text).collect()
}

/// A server, with the first of its tools.
#[derive(Clone, Copy)]
struct Line<'a> {
    server: &'a str,
    tools: Option<&'a [String]>,
    shown: usize,
}

impl<'a> Line<'a> {
    fn of((server, tools): &'a Listed) -> Self {
        Self {
            server,
            tools: tools.as_deref(),
            shown: 0,
        }
    }

    fn longer(self) -> Option<Self> {
        let shown = self.shown + 1;
        (shown <= self.tools?.len()).then_some(Self { shown, ..self })
    }

    fn tokens(&self) -> usize {
        tokens::about(&self.text())
    }

    fn text(&self) -> String {
        let Some(tools) = self.tools else {
            return format!("\n- {}", self.server);
        };
        let (shown, left) = (tools[..self.shown].join(", "), tools.len() - self.shown);
        match (self.shown, left) {
            (_, 0) => format!("\n- {}: {shown}", self.server),
            (0, left) => format!("\n- {}: {left} tools", self.server),
            (_, left) => format!("\n- {}: {shown}, {left} more", self.server),
        }
    }
}

/// The granted servers, each with the identifiers of its granted tools where those are known
/// without waiting.
fn known_tools(granted: &GrantedTools) -> Vec<Listed> {
    granted
        .servers()
        .map(|server| {
            let identifiers = granted.known_tools_of(server).map(|tools| {
                let identifiers = tools.iter().map(|tool| tool.identifier().to_owned());
                identifiers.collect()
            });
            (server.name().to_string(), identifiers)
        })
        .collect()
}

#[cfg(test)]
mod tests;
