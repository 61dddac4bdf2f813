//! What a model reads of Ampoule's tools: the same for as long as the server runs. It is in every conversation, so each word counts.

use ampoule_projection::Detail;
use ampoule_tools::{GrantedTools, Searched};

use super::report::shortened;
use super::tokens;

/// What the server says of itself.
pub(super) const INSTRUCTIONS: &str = "Ampoule runs scripts that call the tools of other MCP servers. Instead of many single calls, write one script, in TypeScript or Python: \
it calls tools, loops, filters and joins their results, and returns only what you need. Find tools with search_tools, then call execute_code.";

const EXECUTE_CODE: &str = "Runs a script in TypeScript, JavaScript or Python that calls tools: `await tools.<server>.<tool>({...})`, in Python \
`await tools.<server>.<tool>(key=value)` in snake_case. Gives back what it returns and prints; top-level `await` and `return` work. A failed call throws ToolError. \
Loop, join and filter in the script, run calls concurrently (Promise.all, asyncio.gather), return a small summary. No network, files, packages; nothing survives. \
`await tools.$search(\"words\")`, `await tools.$describe(\"server.tool\")` (Python: `tools.search`, `tools.describe`, no await) show declarations.";

/// How many tokens servers and the names of their tools may take, for each server. What one server does not need, others have.
const TOKENS_A_SERVER: usize = 12;

/// A server, with the names of its tools where those are known.
pub(super) type Listed = (String, Option<Vec<String>>);

/// The description of `execute_code`, with a word on components where clients may run some, and as many of the tools as fit.
pub(super) fn execute_code(catalog: &[Listed], components: Option<&str>) -> String {
    let mut text = EXECUTE_CODE.to_owned();
    if let Some(components) = components {
        text += " ";
        text += components;
    }
    match catalog {
        [] => text + "\nThere are no servers: scripts can compute, and nothing else.",
        _ => text + &servers(catalog),
    }
}

/// A line for each server. Each in turn has the next of its tools named, as long as there is room.
fn servers(catalog: &[Listed]) -> String {
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

/// The granted servers, each with the identifiers of its granted tools where those are known without waiting.
pub(super) fn known_tools(granted: &GrantedTools) -> Vec<Listed> {
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

/// What `search_tools` answers: declarations of what was found by a query, or one line for each tool of a list.
pub(super) fn found(searched: &Searched, listing: bool, most: usize) -> String {
    let tools = searched.hits.iter();
    let mut parts: Vec<String> = if listing {
        tools
            .map(|tool| format!("{}: {}", tool.qualified_name(), tool.summary().description))
            .collect()
    } else {
        tools.map(|tool| tool.declare(Detail::Brief)).collect()
    };
    if parts.is_empty() {
        parts.push("No tool matches. Try other words, or no query to list all tools.".into());
    }
    parts.extend(
        searched
            .problems
            .iter()
            .map(|problem| format!("Not searched: {problem}")),
    );
    parts.extend(searched.notes.iter().map(|note| format!("Note: {note}")));
    shortened(&parts.join(if listing { "\n" } else { "\n\n" }), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(catalog: &[(&str, Option<usize>)]) -> String {
        let listed = catalog.iter().map(|&(server, tools)| {
            let tools =
                tools.map(|count| (0..count).map(|index| format!("tool_{index}")).collect());
            (server.to_owned(), tools)
        });
        execute_code(&listed.collect::<Vec<_>>(), None)
    }

    #[test]
    fn servers_share_the_room_for_the_names_of_their_tools() {
        let text = described(&[("unknown", None), ("large", Some(200)), ("small", Some(2))]);
        let (_, list) = text.split_once("\n").unwrap();
        assert_eq!(
            list,
            "- unknown\n- large: tool_0, tool_1, tool_2, 197 more\n- small: tool_0, tool_1"
        );
        let text = described(&[("very-large-server-with-a-long-name", Some(1000))]);
        assert!(
            text.ends_with("\n- very-large-server-with-a-long-name: 1000 tools"),
            "{text}"
        );
    }

    #[test]
    fn many_servers_take_twelve_tokens_each() {
        let names: Vec<_> = (0..100).map(|index| format!("server-{index}")).collect();
        let catalog: Vec<_> = names.iter().map(|name| (&**name, Some(30))).collect();
        let taken = |text: &str| bpe_openai::o200k_base().count(text);
        let all = taken(&described(&catalog)) - taken(EXECUTE_CODE);
        assert!((600..=1200).contains(&all), "{all} tokens");
    }

    #[test]
    fn the_description_speaks_of_each_language() {
        let text = execute_code(&[], None);
        for said in ["TypeScript", "JavaScript", "Python", "asyncio.gather"] {
            assert!(text.contains(said), "{text}");
        }
    }
}
