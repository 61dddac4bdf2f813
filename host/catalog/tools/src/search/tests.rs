use std::time::Duration;

use ampoule_linear::timed;
use serde_json::{Value, json};

use super::*;

fn tool(name: &str, description: &str, parameters: &[(&str, &str)]) -> Tool {
    let properties: serde_json::Map<String, Value> = parameters
        .iter()
        .map(|(name, text)| {
            (
                (*name).to_owned(),
                json!({ "type": "string", "description": text }),
            )
        })
        .collect();
    serde_json::from_value(json!({ "name": name, "description": description, "inputSchema": { "type": "object", "properties": properties } })).unwrap()
}

fn business() -> Vec<(&'static str, Tool)> {
    vec![
        (
            "github",
            tool(
                "create_issue",
                "Open a new issue in a repository",
                &[
                    ("owner", "Who owns the repository"),
                    ("labels", "Labels to set"),
                ],
            ),
        ),
        (
            "github",
            tool(
                "list_issues",
                "List the issues of a repository",
                &[("state", "open or closed")],
            ),
        ),
        (
            "github",
            tool("listPullRequests", "Lists pull requests", &[]),
        ),
        (
            "filesystem",
            tool(
                "read_file",
                "Read a file's text",
                &[("path", "Where it is")],
            ),
        ),
        (
            "filesystem",
            tool(
                "list_directory",
                "List what is in a folder",
                &[("path", "Where it is")],
            ),
        ),
        (
            "google-drive",
            tool(
                "getDocument",
                "Get a document by its id",
                &[("documentId", "The id")],
            ),
        ),
        (
            "weather",
            tool(
                "forecast",
                "What the weather will be",
                &[("city", "Name of the city")],
            ),
        ),
    ]
}

fn found(query: &str) -> Vec<String> {
    let tools = business();
    let index = Index::new(tools.iter().map(|(binding, tool)| (*binding, tool)));
    index
        .search(query, 10)
        .into_iter()
        .map(|hit| tools[hit.index].1.name.clone())
        .collect()
}

#[test]
fn names_weigh_more_than_descriptions() {
    assert_eq!(found("create issue")[0], "create_issue");
    assert_eq!(found("repository"), ["create_issue", "list_issues"]);
    assert_eq!(found("folder"), ["list_directory"]);
    assert_eq!(found("city"), ["forecast"]);
}

#[test]
fn names_are_split_and_endings_do_not_matter() {
    assert_eq!(found("pull request"), ["listPullRequests"]);
    assert_eq!(found("creating issues")[0], "create_issue");
    assert_eq!(found("documents")[0], "getDocument");
    assert_eq!(found("google drive"), ["getDocument"]);
}

#[test]
fn a_name_finds_its_tool_first() {
    for query in [
        "github.list_issues",
        "listIssues",
        "github list issues",
        "LIST_ISSUES",
    ] {
        assert_eq!(found(query)[0], "list_issues", "{query}");
    }
}

#[test]
fn a_name_in_any_order_and_with_the_server_is_found_first() {
    let tools = [
        (
            "git",
            tool(
                "git_branch",
                "List branches; list all branches or list remote branches",
                &[],
            ),
        ),
        (
            "github-official",
            tool("create_branch", "Creates a branch", &[]),
        ),
        (
            "github-official",
            tool("list_branches", "Branches of a repository", &[]),
        ),
    ];
    let index = Index::new(tools.iter().map(|(binding, tool)| (*binding, tool)));
    for query in [
        "list github branches",
        "branches list",
        "the GitHub list of branches",
    ] {
        assert_eq!(index.search(query, 10)[0].index, 2, "{query}");
    }
}

#[test]
fn words_that_mean_the_same_are_found() {
    assert_eq!(found("show folder")[0], "list_directory");
    assert_eq!(found("report a bug")[0], "create_issue");
    assert_eq!(found("open PRs")[0], "listPullRequests");
}

#[test]
fn beginnings_and_misspellings_are_understood() {
    assert_eq!(found("repo"), ["create_issue", "list_issues"]);
    assert_eq!(found("forcast"), ["forecast"]);
    assert_eq!(found("directroy"), ["list_directory"]);
    assert_eq!(found("zzzz"), [""; 0]);
}

#[test]
fn no_words_list_everything_in_order() {
    let all: Vec<String> = business().into_iter().map(|(_, tool)| tool.name).collect();
    assert_eq!(found(""), all);
    assert_eq!(found(" ... "), all);
}

#[test]
fn no_more_than_the_limit_is_found() {
    let tools = business();
    let index = Index::new(tools.iter().map(|(binding, tool)| (*binding, tool)));
    assert_eq!(index.search("list", 10).len(), 4);
    assert_eq!(index.search("list", 1).len(), 1);
    assert_eq!(index.search("", 2).len(), 2);
}

#[test]
fn an_index_of_nothing_finds_nothing() {
    let index = Index::new(std::iter::empty());
    assert_eq!(index.search("anything", 10), []);
    assert_eq!(index.search("", 10), []);
}

#[test]
fn the_order_is_always_the_same() {
    let tools: Vec<Tool> = (0..200)
        .map(|index| tool(&format!("tool_{index}"), "Sends a letter", &[]))
        .collect();
    let search =
        || Index::new(tools.iter().map(|tool| ("server", tool))).search("send letters", 200);
    let first = search();
    assert_eq!(
        first.iter().map(|hit| hit.index).collect::<Vec<_>>(),
        (0..200).collect::<Vec<_>>()
    );
    assert_eq!(search(), first);
}

#[test]
fn a_thousand_tools_and_hostile_text_are_searched_in_time() {
    let long = "word ".repeat(100_000);
    let mut tools: Vec<Tool> = (0..1_000)
        .map(|index| {
            tool(
                &format!("do_thing_{index}"),
                &format!("Does thing {index} with the items of a list, and says how it went"),
                &[("id", "The id")],
            )
        })
        .collect();
    tools.push(tool(&"x".repeat(100_000), &long, &[("p", &long)]));
    let ((), took) = timed(|| {
        let index = Index::new(tools.iter().map(|tool| ("server", tool)));
        for query in ["thing", "thng 7", &long, "日本 \u{0} \u{202e}"] {
            index.search(query, 20);
        }
    });
    assert!(took < Duration::from_secs(5), "{took:?}");
}

/// A server as large as the API of an office suite: things of areas, each with several verbs.
fn estate(tools: usize) -> Vec<Tool> {
    let verbs = ["list", "get", "create", "update", "delete"];
    let areas = [
        "mail", "calendar", "drive", "site", "team", "device", "group",
    ];
    let made = (0..tools).map(|number| {
        let verb = verbs[number % verbs.len()];
        let area = areas[number / verbs.len() % areas.len()];
        let thing = format!("thing{}", number / (verbs.len() * areas.len()));
        tool(
            &format!("{area}_{thing}_{verb}"),
            &format!(
                "Can {verb} the {thing} of a {area}, as its owner or with the owner's consent"
            ),
            &[
                ("id", "The thing's id"),
                ("select", "Which properties are returned"),
                ("expand", "Which related things are returned"),
            ],
        )
    });
    made.collect()
}

#[test]
fn a_search_of_seventeen_thousand_tools_takes_bounded_effort_and_memory() {
    const TOOLS: usize = 17_000;
    /// Units of fuel for one question: some milliseconds.
    const MOST: u64 = 60_000_000;
    let tools = estate(TOOLS);
    let index = Index::new(tools.iter().map(|tool| ("office", tool)));
    for question in [
        "delete thing7 of a calendar",
        "Which thing480 can I read on my team's site?",
        "make a new thing12 in the mail",
    ] {
        let effort = Effort::default();
        let found = index.find(question, None, 10, &effort).unwrap();
        let names = found.iter().map(|hit| &*tools[hit.index].name);
        let names: Vec<_> = names.collect();
        let expected = match question.len() {
            27 => "calendar_thing7_delete",
            30 => "mail_thing12_create",
            _ => "site_thing480_get",
        };
        assert!(names.contains(&expected), "{question}: {names:?}");
        let spent = effort.take_spent();
        assert!(spent <= MOST, "{question}: {spent}");
    }
    let mentions: usize = index.words.values().map(|mentions| mentions.len()).sum();
    let words: usize = index.words.keys().map(|word| word.len()).sum();
    let bytes = mentions * size_of::<Mention>() + words;
    assert!(bytes <= TOOLS * 256, "{} a tool", bytes / TOOLS);
}
