//! What a model reads of Ampoule's tools: the same for as long as the server runs. It is in every
//! conversation, so each word counts.

mod answer;
mod environment;

use std::collections::BTreeMap;

use ampoule_projection::Idiom;
use ampoule_tools::{GrantedTools, ResolvedTool};

pub(super) use answer::{HitDetail, found};
pub(super) use environment::Environment;

use super::exposure::{Exposure, Standing, direct};
use crate::content::tokens;
use crate::runs::tool_usage::ToolName;

/// The server's instructions.
pub(super) const INSTRUCTIONS: &str = "Ampoule runs scripts that call the tools of other MCP servers. Instead of many single calls, write one script, in TypeScript or Python: \
it calls tools, loops, filters and joins their results, and returns only what you need. Find tools with search_tools, then call execute_code.";

const EXECUTE_CODE: &str = "Runs a script in TypeScript, JavaScript or Python that calls tools: `await tools.<server>.<tool>({...})`, in Python \
`(key=value)` and snake_case. Gives back what it returns and prints; top-level `await` and `return` work. Failed calls throw ToolError. \
Loop, join, filter, call concurrently, return a summary. $HAS \
`await tools.$search(\"words\")`, `await tools.$describe(\"server.tool\")` (Python: without `$` and await) show declarations.";

/// How many tokens the signatures of all tools may take, for the description to have them.
const SIGNATURE_TOKENS: usize = 800;

/// How many tokens servers and the names of their tools may take, for each server. What one server
/// does not need, others have.
const TOKENS_A_SERVER: usize = 12;

/// A server, with the names of its tools where those are known.
struct NamedServer {
    server: String,
    tools: Option<ToolNames>,
}

/// The tools of a server that may be named.
struct ToolNames {
    names: Vec<String>,
    /// How many others are not named in any case.
    hidden: usize,
    /// Some of its tools are shown elsewhere.
    has_shown: bool,
}

/// The description of `execute_code`, with a sentence about components if clients may run some, and
/// [the tools](tools).
pub(super) fn execute_code(tools: &str, components: Option<&str>, has: &Environment) -> String {
    let mut text = EXECUTE_CODE.replace("$HAS", &has.told());
    if let Some(components) = components {
        text += " ";
        text += components;
    }
    text + tools
}

/// The granted tools as the description has them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ToolsText {
    pub(super) text: String,
    /// How many of the tools that the operator wants listed had no room.
    pub(super) left_out: usize,
    /// The tools whose signatures are in it, as `server.tool`, in the order in which they got room.
    pub(super) signed: Vec<String>,
    /// How many tokens these signatures take.
    pub(super) signed_tokens: usize,
}

/// The granted tools as the description has them: in full where all are few, else those that the
/// operator wants listed, then the hot ones, and of the others as many names as fit.
pub(super) fn tools(granted: &GrantedTools, exposure: &Exposure, hot: &[ToolName]) -> ToolsText {
    if granted.servers().next().is_none() {
        return ToolsText {
            text: "\nNo servers: scripts only compute.".to_owned(),
            ..ToolsText::default()
        };
    }
    let known = known_tools(granted, exposure);
    let accounts = granted.accounts_in_lines(granted.servers());
    let accounts: String = accounts.iter().map(|line| format!("\n- {line}")).collect();
    let signatures = signatures(granted, &known, ResolvedTool::in_a_line)
        .or_else(|| signatures(granted, &known, ResolvedTool::signature));
    if let Some(text) = signatures {
        let tools = known.iter().filter_map(|server| server.tools.as_ref());
        let tools = tools.flat_map(|tools| tools.listed.iter().chain(&tools.usual));
        return ToolsText {
            signed: tools.map(full_name).collect(),
            signed_tokens: tokens::about(&text),
            text: text + &accounts,
            left_out: 0,
        };
    }
    let Lines {
        listed,
        left_out,
        signed,
        rest,
    } = listed(known, hot, exposure.budget());
    let lines = names(&rest.iter().map(ServerTools::named).collect::<Vec<_>>());
    ToolsText {
        signed_tokens: tokens::about(&listed),
        text: listed + &lines + &accounts,
        left_out,
        signed,
    }
}

fn full_name(tool: &ResolvedTool) -> String {
    format!("{}.{}", tool.server(), tool.name())
}

/// The lines of listed tools.
struct Lines {
    listed: String,
    /// The tools that have one, in the order in which they got room.
    signed: Vec<String>,
    /// How many of those that the operator wants listed have none.
    left_out: usize,
    /// All servers, with the tools that have no line.
    rest: Vec<ServerTools>,
}

/// A granted server, with its tools by how they are shown, where they are known without waiting.
struct ServerTools {
    server: String,
    /// What the description calls it: its name, or an account in a script's words.
    called: String,
    tools: Option<KnownTools>,
}

/// The known tools of a server, but for those that clients see as tools of their own.
#[derive(Default)]
struct KnownTools {
    /// Those that are to be listed first of all.
    listed: Vec<ResolvedTool>,
    /// Those that are listed or named as far as there is room.
    usual: Vec<ResolvedTool>,
    /// How many only a search shows.
    searched: usize,
    /// Some of the server's tools are shown already.
    has_shown: bool,
}

impl ServerTools {
    fn named(&self) -> NamedServer {
        let tools = self.tools.as_ref().map(|known| {
            let names = known.usual.iter().map(|tool| tool.identifier().to_owned());
            ToolNames {
                names: names.collect(),
                hidden: known.searched,
                has_shown: known.has_shown,
            }
        });
        NamedServer {
            server: self.called.clone(),
            tools,
        }
    }
}

/// The granted servers, each with its granted tools where those are known without waiting.
fn known_tools(granted: &GrantedTools, exposure: &Exposure) -> Vec<ServerTools> {
    let servers = granted.servers_without_twins().into_iter();
    let listed: Vec<_> = servers
        .map(|server| (server, granted.known_tools_of(server)))
        .collect();
    let all = listed.iter().flat_map(|(_, tools)| tools.iter().flatten());
    let unfit = direct::unfit_names(all.filter(|tool| exposure.standing(tool) == Standing::Direct));
    let servers = listed.into_iter().map(|(server, tools)| {
        let tools = tools.map(|tools| {
            let mut known = KnownTools::default();
            for tool in tools {
                match exposure.standing(&tool) {
                    Standing::Direct if unfit.contains(&direct::name_of(&tool)) => {
                        known.listed.push(tool);
                    }
                    Standing::Direct => known.has_shown = true,
                    Standing::Listed => known.listed.push(tool),
                    Standing::Usual => known.usual.push(tool),
                    Standing::Searched => known.searched += 1,
                }
            }
            known
        });
        ServerTools {
            server: server.name().to_string(),
            called: match server.account() {
                None => server.name().to_string(),
                Some(_) => server.called_in(Idiom::default()),
            },
            tools,
        }
    });
    servers.collect()
}

/// A line for each tool that a search does not have to find, where all are known and there is room
/// for them. Where there is more room, what servers have besides.
fn signatures(
    granted: &GrantedTools,
    known: &[ServerTools],
    line: fn(&ResolvedTool) -> String,
) -> Option<String> {
    let (mut text, mut taken) = (String::new(), 0);
    for server in known {
        let tools = server.tools.as_ref()?;
        for tool in tools.listed.iter().chain(&tools.usual) {
            let line = format!("\n- {}", line(tool));
            taken += tokens::about(&line);
            if taken > SIGNATURE_TOKENS {
                return None;
            }
            text += &line;
        }
        if tools.searched > 0 {
            let left = ToolNames {
                hidden: tools.searched,
                has_shown: tools.has_shown || !tools.listed.is_empty() || !tools.usual.is_empty(),
                names: Vec::new(),
            };
            let named = NamedServer {
                server: server.called.clone(),
                tools: Some(left),
            };
            text += &Line::of(&named).text();
        }
    }
    for offered in granted.offered_in_lines(granted.servers_without_twins()) {
        let line = format!("\n- {offered}");
        taken += tokens::about(&line);
        if taken <= SIGNATURE_TOKENS {
            text += &line;
        }
    }
    (!text.is_empty()).then_some(text)
}

/// A line for each listed tool that the budget has room for: each server in turn has the next of its
/// own, and then come the hot ones. The others are named like any. Within a server, the order is that
/// of its list, so that the same tools are always the same text.
fn listed(mut known: Vec<ServerTools>, hot: &[ToolName], budget: usize) -> Lines {
    let mut waiting: Vec<_> = known
        .iter_mut()
        .map(|server| {
            let tools = server.tools.as_mut();
            let listed = tools.map(|tools| std::mem::take(&mut tools.listed));
            listed.unwrap_or_default().into_iter()
        })
        .collect();
    let mut lines: Vec<BTreeMap<usize, String>> = vec![BTreeMap::new(); known.len()];
    let (mut taken, mut growing, mut left_out) = (0, true, 0);
    let mut signed = Vec::new();
    let mut add = |place: usize, tool: &ResolvedTool| {
        let line = format!("\n- {}", tool.signature());
        let takes = tokens::about(&line);
        if taken + takes > budget {
            return false;
        }
        taken += takes;
        lines[place].insert(tool.place(), line);
        signed.push(full_name(tool));
        true
    };
    while growing {
        growing = false;
        for (place, server) in waiting.iter_mut().enumerate() {
            let (Some(tool), Some(tools)) = (server.next(), known[place].tools.as_mut()) else {
                continue;
            };
            growing = true;
            match add(place, &tool) {
                true => tools.has_shown = true,
                false => {
                    tools.usual.insert(0, tool);
                    left_out += 1;
                }
            }
        }
    }
    for ToolName { server, tool: name } in hot {
        let mut servers = known.iter_mut().enumerate();
        let found = servers.find(|(_, known)| known.server == *server);
        let Some((place, Some(tools))) = found.map(|(place, it)| (place, it.tools.as_mut())) else {
            continue;
        };
        let tool = (tools.usual.iter()).position(|tool| **tool.name() == **name);
        if let Some(at) = tool.filter(|at| add(place, &tools.usual[*at])) {
            tools.usual.remove(at);
            tools.has_shown = true;
        }
    }
    let lines = lines.into_iter().flat_map(BTreeMap::into_values);
    Lines {
        listed: lines.collect(),
        left_out,
        signed,
        rest: known,
    }
}

/// A line for each server. Each in turn has the next of its tools named, as long as there is room.
fn names(catalog: &[NamedServer]) -> String {
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
    tools: Option<&'a ToolNames>,
    shown: usize,
}

impl<'a> Line<'a> {
    fn of(named: &'a NamedServer) -> Self {
        Self {
            server: &named.server,
            tools: named.tools.as_ref(),
            shown: 0,
        }
    }

    fn longer(self) -> Option<Self> {
        let shown = self.shown + 1;
        (shown <= self.tools?.names.len()).then_some(Self { shown, ..self })
    }

    fn tokens(&self) -> usize {
        tokens::about(&self.text())
    }

    fn text(&self) -> String {
        let Some(tools) = self.tools else {
            return format!("\n- {}", self.server);
        };
        let shown = tools.names[..self.shown].join(", ");
        let left = tools.names.len() - self.shown + tools.hidden;
        match (self.shown, left) {
            // All are shown elsewhere.
            (0, 0) if tools.has_shown => String::new(),
            (_, 0) => format!("\n- {}: {shown}", self.server),
            (0, left) if tools.has_shown => format!("\n- {}: {left} more", self.server),
            (0, left) => format!("\n- {}: {left} tools", self.server),
            (_, left) => format!("\n- {}: {shown}, {left} more", self.server),
        }
    }
}

#[cfg(test)]
mod tests;
