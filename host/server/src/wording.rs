//! What a model reads of Ampoule's tools: the same for as long as the server runs. It is in every
//! conversation, so each word counts.

use ampoule::{FoundSkill, SKILLS_SERVER};
use ampoule_projection::Detail;
use ampoule_tools::{GrantedTools, ResolvedTool, Searched};
use ampoule_untrusted::text::one_line;
use serde::Deserialize;

use super::cut::shortened;
use super::tokens;

/// What the server says of itself.
pub(super) const INSTRUCTIONS: &str = "Ampoule runs scripts that call the tools of other MCP servers. Instead of many single calls, write one script, in TypeScript or Python: \
it calls tools, loops, filters and joins their results, and returns only what you need. Find tools with search_tools, then call execute_code.";

const EXECUTE_CODE: &str = "Runs a script in TypeScript, JavaScript or Python that calls tools: `await tools.<server>.<tool>({...})`, in Python \
`(key=value)` and snake_case. Gives back what it returns and prints; top-level `await` and `return` work. Failed calls throw ToolError. \
Loop, join, filter, call concurrently, return a summary. No network, files, packages; top-level names last in a `session` alone. \
`await tools.$search(\"words\")`, `await tools.$describe(\"server.tool\")` (Python: without `$` and await) show declarations.";

/// What the description says of files, where there are none, and where there are.
const WITHOUT_FILES: &str =
    "No network, files, packages; top-level names last in a `session` alone.";
const WITH_FILES: &str = "No network, packages; files in the current folder (node:fs, open) last, and top-level names in a `session`.";

/// How many tokens the signatures of all tools may take, for the description to have them.
const SIGNATURE_TOKENS: usize = 800;

/// How many tokens servers and the names of their tools may take, for each server. What one server
/// does not need, others have.
const TOKENS_A_SERVER: usize = 12;

/// A server, with the names of its tools where those are known.
type Listed = (String, Option<Vec<String>>);

/// The description of `execute_code`, with a word on components where clients may run some, and
/// [what there is](tools).
pub(super) fn execute_code(tools: &str, components: Option<&str>, has_files: bool) -> String {
    let mut text = match has_files {
        true => EXECUTE_CODE.replace(WITHOUT_FILES, WITH_FILES),
        false => EXECUTE_CODE.to_owned(),
    };
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

/// How much is said of each tool that was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Said {
    Names,
    Summaries,
    Declarations,
}

/// How many tokens declarations may take, with what is said of their servers. Where whole ones would
/// take more, each tool has a line.
const DECLARATION_TOKENS: usize = 1_400;

/// How many servers are named of which no tool is shown.
const MAX_SERVERS_NAMED: usize = 20;

/// What `search_tools` answers: how many tools there are, and what was found, of which it says so
/// much.
pub(super) fn found(searched: &Searched, skills: &[FoundSkill], said: Said, most: usize) -> String {
    let hits = &searched.hits;
    let mut text = counted(searched, skills);
    if hits.is_empty() && skills.is_empty() {
        text += "\nNo tool matches. Try other words, or no query to list all tools.";
    }
    let offered = searched.offered.iter();
    let offered: String = offered.map(|line| format!("\n\n{line}")).collect();
    let lines = |line: fn(&ResolvedTool) -> String| -> String {
        hits.iter()
            .map(|tool| format!("\n{}", line(tool)))
            .collect()
    };
    text += &match said {
        Said::Names => lines(ResolvedTool::qualified_name),
        Said::Summaries => lines(summary),
        Said::Declarations => {
            declared(hits, &offered).unwrap_or_else(|| lines(ResolvedTool::in_a_line_as_seen))
        }
    };
    text += &offered;
    text += &saved(skills, said);
    for problem in &searched.problems {
        text += &format!("\nNot searched: {problem}");
    }
    for note in &searched.notes {
        text += &format!("\nNote: {note}");
    }
    shortened(&text, most)
}

/// What earlier scripts saved, as a script imports it.
fn saved(skills: &[FoundSkill], said: Said) -> String {
    let mut text = String::new();
    if !skills.is_empty() {
        text += "\n\nSkills, which scripts import:";
    }
    for FoundSkill { skill, notes, .. } in skills {
        let description = one_line(&skill.description);
        let import = skill.import();
        let import = import
            .unwrap_or_else(|| format!("import text from \"./skills/{}/SKILL.md\"", skill.name));
        if said == Said::Names {
            text += &format!("\n{}", skill.name);
            continue;
        }
        let comment = match skill.language.as_deref() {
            Some("python") => "#",
            _ => "//",
        };
        text += &format!("\n{import} {comment} skill: {description}");
        for function in &skill.functions {
            let about = one_line(&function.about);
            let about = match about.is_empty() {
                true => String::new(),
                false => format!(" {comment} {about}"),
            };
            text += &format!("\n  {}{about}", one_line(&function.signature));
        }
        for note in notes {
            text += &format!("\n  note: {}", one_line(note));
        }
    }
    text
}

/// How many tools are shown of how many, with how many skills, and which servers are not.
fn counted(searched: &Searched, skills: &[FoundSkill]) -> String {
    let (shown, all) = (
        searched.hits.len(),
        searched
            .searched
            .iter()
            .map(|(_, tools)| tools)
            .sum::<usize>(),
    );
    let hidden = searched.searched.iter().filter(|(server, tools)| {
        let is_shown = searched.hits.iter().any(|tool| tool.server() == server)
            || **server == *SKILLS_SERVER && !skills.is_empty();
        *tools > 0 && !is_shown
    });
    let hidden: Vec<&str> = hidden.map(|(server, _)| &**server).collect();
    let mut text = format!("{shown} of {all} tools");
    match skills.len() {
        0 => {}
        1 => text += ", 1 skill",
        many => text += &format!(", {many} skills"),
    }
    match hidden.len() {
        0 => text,
        1..=MAX_SERVERS_NAMED => format!("{text}; none of {}", hidden.join(", ")),
        many => format!("{text}; none of {many} other servers"),
    }
}

/// Whole declarations, if they are few and short, and so is what comes behind them.
fn declared(hits: &[ResolvedTool], behind: &str) -> Option<String> {
    let most = DECLARATION_TOKENS.saturating_sub(tokens::about(behind));
    let mut text = String::new();
    for tool in hits {
        text += &format!("\n\n{}", tool.declare(Detail::Brief).trim_end());
        if tokens::about(&text) > most {
            return None;
        }
    }
    Some(text)
}

fn summary(tool: &ResolvedTool) -> String {
    format!("{}: {}", tool.qualified_name(), tool.summary().description)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ampoule::{
        Binding, BindingError, CallContext, CallError, Functions, Grant, Tool, ToolResult,
    };
    use ampoule_projection::Idiom;
    use futures::future::BoxFuture;
    use serde_json::{Map, Value, json};

    use super::*;

    fn described(catalog: &[(&str, Option<usize>)]) -> String {
        let listed = catalog.iter().map(|&(server, tools)| {
            let tools =
                tools.map(|count| (0..count).map(|index| format!("tool_{index}")).collect());
            (server.to_owned(), tools)
        });
        execute_code(&names(&listed.collect::<Vec<_>>()), None, false)
    }

    #[test]
    fn models_are_told_whether_there_are_files() {
        let (with, without) = (execute_code("", None, true), execute_code("", None, false));
        assert!(with.contains(WITH_FILES) && !with.contains(WITHOUT_FILES));
        assert!(without.contains(WITHOUT_FILES) && without == EXECUTE_CODE);
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
        let taken = tokens::exactly;
        let all = taken(&described(&catalog)) - taken(EXECUTE_CODE);
        assert!((600..=1200).contains(&all), "{all} tokens");
    }

    /// The corpora's servers, made so.
    fn runtime_of_corpora<B: Binding>(made: impl Fn(Functions) -> B) -> ampoule::Runtime {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpora/tools");
        let mut runtime = ampoule::Runtime::builder();
        let files = std::fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let list: Value =
                serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let tools: Vec<Tool> =
                serde_json::from_value(list.get("tools").cloned().unwrap_or(list)).unwrap();
            let server = Functions::new(path.file_stem().unwrap().to_str().unwrap());
            let server = tools.into_iter().fold(server, |server, tool| {
                server.raw(tool, async |_, _| Ok(ToolResult::default()))
            });
            runtime = runtime.binding(made(server));
        }
        runtime.build().unwrap()
    }

    fn corpora() -> GrantedTools {
        let runtime = runtime_of_corpora(|server| server);
        runtime.tools(Grant::all()).unwrap()
    }

    /// A server that has resources besides its tools; some have prompts, too.
    struct Offering(Functions);

    impl Binding for Offering {
        fn name(&self) -> &str {
            self.0.name()
        }

        fn tools(&self) -> BoxFuture<'_, Result<Arc<[Tool]>, BindingError>> {
            self.0.tools()
        }

        fn known_tools(&self) -> Option<Arc<[Tool]>> {
            self.0.known_tools()
        }

        fn offered(&self) -> Arc<[Tool]> {
            let resources = [("$resources", ""), ("$templates", ""), ("$read", "uri")];
            let prompts = [("$prompts", ""), ("$prompt", "name arguments")];
            let prompts = prompts.iter().take(self.name().len() % 3);
            let offered = resources.iter().chain(prompts).map(|(name, parameters)| {
                let parameters = parameters.split_whitespace();
                let parameters: Map<_, _> = parameters
                    .map(|name| (name.to_owned(), json!({})))
                    .collect();
                let tool = json!({ "name": name, "inputSchema": { "properties": parameters } });
                serde_json::from_value(tool).unwrap()
            });
            offered.collect()
        }

        fn call<'a>(
            &'a self,
            tool: &'a str,
            arguments: Map<String, Value>,
            context: CallContext,
        ) -> BoxFuture<'a, Result<ToolResult, CallError>> {
            self.0.call(tool, arguments, context)
        }
    }

    #[test]
    fn few_tools_are_described_by_their_signatures() {
        let granted = |patterns: &[&str]| {
            let grant = Grant::of(patterns.iter().copied()).unwrap();
            runtime_of_corpora(Offering).tools(grant).unwrap()
        };
        let taken = tokens::exactly;
        // With what they are for, where there is room for that too.
        let text = tools(&granted(&["time"]));
        assert!(
            text.starts_with("\n- time.getCurrentTime({ timezone: string })"),
            "{text}"
        );
        assert!(text.contains(" // Get current time"), "{text}");
        // And with what their servers have besides, by which a model learns of it.
        let besides = "\n- time also has: $resources(), $templates(), $read(uri)";
        assert!(text.contains(besides), "{text}");
        let text = tools(&granted(&["git", "time"]));
        assert!(
            text.contains("\n- git.gitCommit({ repo_path: string, message: string })"),
            "{text}"
        );
        assert!(
            (200..=800).contains(&taken(&text)),
            "{} tokens: {text}",
            taken(&text)
        );
        // Names, where all signatures would take more.
        let text = tools(&corpora());
        assert!(text.contains("\n- time: "), "{text}");
        assert!(taken(&text) <= 120, "{text}");
    }

    #[tokio::test]
    async fn ten_tools_take_fifteen_hundred_tokens_and_say_of_how_many() {
        let runtime = runtime_of_corpora(Offering);
        let tools = runtime.tools(Grant::all()).unwrap();
        let questions = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/corpora/questions.json"
        );
        let questions: Value =
            serde_json::from_str(&std::fs::read_to_string(questions).unwrap()).unwrap();
        for question in questions.as_array().unwrap() {
            let ask = question["ask"].as_str().unwrap();
            for idiom in [Idiom::TypeScript, Idiom::Python] {
                let searched = tools
                    .clone()
                    .named_as(idiom)
                    .search(ask, 10, None)
                    .await
                    .unwrap();
                let text = found(&searched, &[], Said::Declarations, 40_000);
                let taken = tokens::exactly(&text);
                assert!(taken <= 1500, "{taken} tokens: {text}");
                assert!(text.contains(" of 318 tools"), "{text}");
                assert!(text.contains("resources(), "), "{text}");
            }
        }
    }

    #[tokio::test]
    async fn what_is_said_of_tools_is_what_was_asked_for() {
        let tools = corpora();
        let searched = tools.search("current time", 2, Some("time")).await.unwrap();
        assert_eq!(
            found(&searched, &[], Said::Names, 40_000),
            "2 of 2 tools\ntime.getCurrentTime\ntime.convertTime"
        );
        let text = found(&searched, &[], Said::Summaries, 40_000);
        assert!(
            text.starts_with("2 of 2 tools\ntime.getCurrentTime: Get current time"),
            "{text}"
        );
        let text = found(&searched, &[], Said::Declarations, 40_000);
        assert!(text.contains("function getCurrentTime(args: {"), "{text}");
        let searched = tools.search("list github branches", 1, None).await.unwrap();
        let text = found(&searched, &[], Said::Names, 40_000);
        assert!(
            text.starts_with("1 of 318 tools; none of everything, excel, "),
            "{text}"
        );
        let searched = tools.search("xyzzy", 1, None).await.unwrap();
        assert!(found(&searched, &[], Said::Names, 40_000).contains("No tool matches"));
    }

    #[test]
    fn the_description_speaks_of_each_language() {
        let text = execute_code("", None, false);
        for said in ["TypeScript", "JavaScript", "Python", "snake_case"] {
            assert!(text.contains(said), "{text}");
        }
    }
}
