//! What a model reads of Ampoule's tools. Claude Code cuts descriptions and instructions at 2 KB, so each is kept below that, and the
//! same for as long as the server runs.

use ampoule_projection::Detail;
use ampoule_tools::{GrantedTools, Searched};

use super::report::shortened;

/// How long a description may be, in bytes.
const DESCRIPTION_BYTES: usize = 2000;

/// What the server says of itself.
pub(super) const INSTRUCTIONS: &str = "Ampoule runs scripts that call the tools of other MCP servers. Instead of many single calls, write one script, in TypeScript or Python: \
it calls tools, loops, filters and joins their results, and returns only what you need. Find tools with search_tools, then call execute_code.";

const EXECUTE_CODE: &str = "Runs a script in TypeScript, JavaScript or Python (CPython 3.14, standard library) in a fresh sandbox and gives back what it returns and prints. \
Its only way out is these tools, called as `await tools.<server>.<tool>({...})`, in Python `await tools.<server>.<tool>(key=value)` with snake_case names; \
each gives the tool's structured result, or its text. Top-level `await` and `return` work in all languages. \
Run calls concurrently with Promise.all or asyncio.gather. A failed call throws ToolError (server, tool, message); catch it to go on. \
Return a small summary, not raw data: filter and aggregate in the script. Nothing survives between runs; there is no network, no file system, no packages. \
In a script, `await tools.$search(\"words\")` and `await tools.$describe(\"server.tool\")` (in Python `tools.search(...)`, `tools.describe(...)`, without await) find tools and give their types; so does search_tools.";

/// The description of `execute_code`, with a word on components where clients may run some, and as many of the tools as fit.
pub(super) fn execute_code(
    catalog: &[(String, Option<Vec<String>>)],
    components: Option<&str>,
) -> String {
    let mut text = EXECUTE_CODE.to_owned();
    if let Some(components) = components {
        text += " ";
        text += components;
    }
    if catalog.is_empty() {
        return text + "\nThere are no servers: scripts can compute, and nothing else.";
    }
    text += "\nServers and tools:";
    let mut left = catalog.len();
    for (server, tools) in catalog {
        // Each server that is still to come needs room for its name at least.
        let room = DESCRIPTION_BYTES.saturating_sub(text.len()) / left;
        text += &format!("\n- {}", server_line(server, tools.as_deref(), room));
        left -= 1;
    }
    shortened_list(text)
}

/// A server with as many of its tools as fit into about `room` bytes.
fn server_line(server: &str, tools: Option<&[String]>, room: usize) -> String {
    let Some(tools) = tools else {
        return format!("{server} (search_tools lists its tools)");
    };
    let mut line = format!("{server}: ");
    for (index, tool) in tools.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        if line.len() + separator.len() + tool.len() + " and 1000 more".len() > room {
            return format!("{} and {} more", line.trim_end(), tools.len() - index);
        }
        line += separator;
        line += tool;
    }
    line
}

fn shortened_list(text: String) -> String {
    match text.get(..DESCRIPTION_BYTES.min(text.len())) {
        Some(kept) if kept.len() < text.len() => {
            format!("{}…", &kept[..kept.rfind('\n').unwrap_or(kept.len())])
        }
        _ => text,
    }
}

/// The granted servers, each with the identifiers of its granted tools where those are known without waiting.
pub(super) fn known_tools(granted: &GrantedTools) -> Vec<(String, Option<Vec<String>>)> {
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

    #[test]
    fn the_description_stays_below_two_kilobytes_and_names_what_fits() {
        let tools: Vec<String> = (0..200).map(|index| format!("toolNumber{index}")).collect();
        let catalog = vec![
            ("unknown".to_owned(), None),
            ("large".to_owned(), Some(tools)),
            (
                "small".to_owned(),
                Some(vec!["one".to_owned(), "two".to_owned()]),
            ),
        ];
        let text = execute_code(&catalog, None);
        assert!(text.len() <= 2048, "{}", text.len());
        assert!(
            text.contains("- unknown (search_tools lists its tools)"),
            "{text}"
        );
        assert!(text.contains("- large: toolNumber0, "), "{text}");
        assert!(text.contains(" more\n- small: one, two"), "{text}");
    }

    #[test]
    fn the_description_leaves_room_for_tools_and_speaks_of_each_language() {
        let text = execute_code(&[], None);
        assert!(text.len() < 1400, "{}", text.len());
        for said in ["TypeScript", "JavaScript", "Python", "asyncio.gather"] {
            assert!(text.contains(said), "{text}");
        }
    }

    #[test]
    fn many_servers_are_cut_at_a_line() {
        let catalog: Vec<_> = (0..500)
            .map(|index| (format!("server-number-{index}"), Some(vec![])))
            .collect();
        let text = execute_code(&catalog, None);
        assert!(text.len() <= 2048, "{}", text.len());
        assert!(text.ends_with('…'), "{text}");
    }
}
