//! How much of a model's context it takes.

use std::sync::Arc;

use ampoule::{Binding, BindingError, CallContext, CallError, Functions, Grant, Tool, ToolResult};
use ampoule_projection::Idiom;
use ampoule_projection::names::ToolPattern;
use futures::future::BoxFuture;
use serde_json::{Map, Value, json};

use super::*;

fn described(catalog: &[(&str, Option<usize>)]) -> String {
    let listed = catalog.iter().map(|&(server, tools)| {
        let tools = tools.map(|count| ToolNames {
            names: (0..count).map(|index| format!("tool_{index}")).collect(),
            hidden: 0,
            has_shown: false,
        });
        NamedServer {
            server: server.to_owned(),
            tools,
        }
    });
    execute_code(
        &names(&listed.collect::<Vec<_>>()),
        None,
        &Environment::default(),
    )
}

#[test]
fn what_models_are_told_follows_from_what_is_granted() {
    let told = |requests, files| {
        let has = Environment {
            requests,
            files,
            ..Environment::default()
        };
        execute_code("", None, &has)
    };
    for (requests, files, says) in [
        (
            false,
            false,
            "No network, packages; files last one run, top-level names a `session`.",
        ),
        (
            false,
            true,
            "No network, packages; files in the current folder (node:fs, open) last, and top-level names in a `session`.",
        ),
        (
            true,
            false,
            "No packages; `fetch` (urllib) reaches allowed hosts alone; files last one run, top-level names a `session`.",
        ),
        (
            true,
            true,
            "No packages; `fetch` (urllib) reaches allowed hosts alone; files in the current folder (node:fs, open) last, and top-level names in a `session`.",
        ),
    ] {
        let told = told(requests, files);
        assert!(told.contains(says), "{told}");
        assert_eq!(told.contains("network"), !requests, "{told}");
        assert!(!told.contains("$HAS"), "{told}");
    }
}

#[test]
fn requests_are_spoken_of_where_the_run_may_send_some() {
    let outbound = || {
        let rules = ampoule::outbound::Outbound::List(Default::default());
        let builder = ampoule::Runtime::builder();
        builder.outbound(rules, ampoule::outbound::OutboundOptions::default())
    };
    let runtime = outbound().build().unwrap();
    for (grant, expected) in [
        (Grant::all(), true),
        (Grant::none(), false),
        (Grant::of(["outbound"]).unwrap(), true),
    ] {
        let tools = runtime.tools(grant.clone()).unwrap();
        assert_eq!(Environment::of(&tools, false).requests, expected, "{grant}");
    }
    let without = ampoule::Runtime::builder().build().unwrap();
    assert!(!Environment::of(&without.tools(Grant::all()).unwrap(), false).requests);
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
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/corpora/tools");
    let mut runtime = ampoule::Runtime::builder();
    let files = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = files.map(|file| file.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        let list: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
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

fn tools(granted: &GrantedTools, exposure: &Exposure, hot: &[ToolName]) -> String {
    super::tools(granted, exposure, hot).text
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
    let text = tools(&granted(&["time"]), &Exposure::default(), &[]);
    assert!(
        text.starts_with("\n- time.getCurrentTime({ timezone: string })"),
        "{text}"
    );
    assert!(text.contains(" // Get current time"), "{text}");
    // And with what their servers have besides, by which a model learns of it.
    let besides = "\n- time also has: $resources(), $templates(), $read(uri)";
    assert!(text.contains(besides), "{text}");
    let text = tools(&granted(&["git", "time"]), &Exposure::default(), &[]);
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
    let text = tools(&corpora(), &Exposure::default(), &[]);
    assert!(text.contains("\n- time: "), "{text}");
    assert!(taken(&text) <= 120, "{text}");
}

fn exposure(list: fn(&mut Exposure) -> &mut Vec<ToolPattern>, patterns: &[&str]) -> Exposure {
    let mut exposure = Exposure::default();
    *list(&mut exposure) = patterns.iter().map(|it| it.parse().unwrap()).collect();
    exposure
}

#[test]
fn the_operator_says_which_signatures_are_in_the_description() {
    let corpora = corpora();
    let usual = tools(&corpora, &Exposure::default(), &[]);
    let patterns = ["github-official.list_*", "git.git_status", "time"];
    let mut exposure = exposure(|it| &mut it.listed, &patterns);
    let text = tools(&corpora, &exposure, &[]);
    // Each server in turn: a large one leaves room for the others.
    for says in [
        "\n- git.gitStatus(",
        "\n- time.convertTime(",
        "\n- githubOfficial.list",
    ] {
        assert!(text.contains(says), "{says}: {text}");
    }
    let taken = |text: &str| tokens::exactly(text);
    assert!(
        taken(&text) <= taken(&usual) + 440,
        "{} {text}",
        taken(&text)
    );
    // The others are named or counted, and no tool is missing from the count.
    assert!(text.contains("\n- git: "), "{text}");
    assert!(!text.contains("\n- time: "), "{text}");
    assert_eq!(
        super::tools(&corpora, &Exposure::default(), &[]).left_out,
        0
    );
    exposure.budget = Some(0);
    let few = super::tools(&corpora, &exposure, &[]).left_out;
    exposure.budget = Some(100_000);
    assert_eq!(super::tools(&corpora, &exposure, &[]).left_out, 0);
    assert!(few > 10, "{few}");
    exposure.budget = Some(0);
    assert!(!tools(&corpora, &exposure, &[]).contains("time.convertTime("));
    assert!(taken(&tools(&corpora, &exposure, &[])) <= 120);
}

#[test]
fn tools_that_no_client_could_name_are_listed_instead_of_direct() {
    let listed = |name: &str| {
        let tool = json!({ "name": name, "inputSchema": { "type": "object" } });
        serde_json::from_value::<Tool>(tool).unwrap()
    };
    let long = "long".repeat(20);
    let one = Functions::new("a").raw(listed("b__c"), async |_, _| Ok(ToolResult::default()));
    let one = one.raw(listed(&long), async |_, _| Ok(ToolResult::default()));
    let one = one.raw(listed("plain"), async |_, _| Ok(ToolResult::default()));
    let other = Functions::new("a__b").raw(listed("c"), async |_, _| Ok(ToolResult::default()));
    let runtime = ampoule::Runtime::builder().binding(one).binding(other);
    let granted = runtime.build().unwrap().tools(Grant::all()).unwrap();
    let text = super::tools(&granted, &exposure(|it| &mut it.direct, &["*"]), &[]);
    let signed: Vec<&str> = text.signed.iter().map(String::as_str).collect();
    assert_eq!(
        signed,
        ["a.b__c", &format!("a.{long}"), "a__b.c"],
        "{}",
        text.text
    );
}

#[test]
fn what_runs_used_is_listed_within_the_budget() {
    let corpora = corpora();
    let named = |server: &str, tool: &str| ToolName {
        server: server.to_owned(),
        tool: tool.to_owned(),
    };
    let hot = [
        named("time", "convert_time"),
        named("git", "git_log"),
        named("git", "git_status"),
        named("git", "no_such_tool"),
        named("no-such-server", "git_log"),
    ];
    let text = tools(&corpora, &Exposure::default(), &hot);
    // In the order of the server's list, whatever is used most.
    let [status, log] = ["git.gitStatus(", "git.gitLog("].map(|it| text.find(it).expect(it));
    assert!(status < log, "{text}");
    assert!(text.contains("\n- time.convertTime("), "{text}");
    let swapped = [hot[2].clone(), hot[1].clone(), hot[0].clone()];
    assert_eq!(tools(&corpora, &Exposure::default(), &swapped), text);
    // What the operator wants searched for stays so, and what there is no room for is named.
    let searched = exposure(|it| &mut it.searched, &["git"]);
    assert!(!tools(&corpora, &searched, &hot).contains("git.gitLog("));
    let none = Exposure {
        budget: Some(0),
        ..Exposure::default()
    };
    let without = tools(&corpora, &none, &hot);
    assert_eq!(without, tools(&corpora, &none, &[]));
}

#[test]
fn searched_tools_are_counted_and_not_named() {
    let runtime = runtime_of_corpora(|server| server);
    let granted = runtime.tools(Grant::of(["git", "time"]).unwrap()).unwrap();
    let few = tools(
        &granted,
        &exposure(|it| &mut it.searched, &["git.git_c*", "time"]),
        &[],
    );
    assert!(few.contains("\n- git.gitStatus("), "{few}");
    assert!(!few.contains("gitCommit"), "{few}");
    assert!(few.contains("\n- git: 3 more"), "{few}");
    assert!(few.ends_with("\n- time: 2 tools"), "{few}");
    let many = tools(&corpora(), &exposure(|it| &mut it.searched, &["*"]), &[]);
    assert!(many.contains("\n- time: 2 tools"), "{many}");
    // What clients see as tools of their own is not told twice.
    let direct = tools(&granted, &exposure(|it| &mut it.direct, &["time"]), &[]);
    assert!(direct.contains("\n- git.gitStatus("), "{direct}");
    assert!(!direct.contains("\n- time"), "{direct}");
}

#[tokio::test]
async fn ten_tools_take_fifteen_hundred_tokens_and_say_of_how_many() {
    let runtime = runtime_of_corpora(Offering);
    let tools = runtime.tools(Grant::all()).unwrap();
    let questions = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../tests/corpora/questions.json"
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
            let text = found(&searched, &[], HitDetail::Declarations, 40_000);
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
        found(&searched, &[], HitDetail::Names, 40_000),
        "2 of 2 tools\ntime.getCurrentTime\ntime.convertTime"
    );
    // Of so few, declarations come at once.
    let text = found(&searched, &[], HitDetail::Summaries, 40_000);
    assert!(text.contains("function getCurrentTime(args: {"), "{text}");
    let more = tools.search("commit", 4, Some("git")).await.unwrap();
    let text = found(&more, &[], HitDetail::Summaries, 40_000);
    assert!(text.starts_with("4 of 12 tools\ngit.git"), "{text}");
    assert!(!text.contains("function "), "{text}");
    let text = found(&searched, &[], HitDetail::Declarations, 40_000);
    assert!(text.contains("function getCurrentTime(args: {"), "{text}");
    let searched = tools.search("list github branches", 1, None).await.unwrap();
    let text = found(&searched, &[], HitDetail::Names, 40_000);
    assert!(
        text.starts_with("1 of 318 tools; none of everything, excel, "),
        "{text}"
    );
    let searched = tools.search("xyzzy", 1, None).await.unwrap();
    assert!(found(&searched, &[], HitDetail::Names, 40_000).contains("No tool matches"));
}

#[test]
fn the_description_speaks_of_each_language() {
    let text = execute_code("", None, &Environment::default());
    for said in ["TypeScript", "JavaScript", "Python", "snake_case"] {
        assert!(text.contains(said), "{text}");
    }
}
