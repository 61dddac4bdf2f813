//! `ampoule chat bench`: each task's reference passes its check, in both languages and by single calls,
//! and wrong answers fail.

use std::collections::{BTreeMap, BTreeSet};

use ampoule_chat::bench::Task;
use ampoule_tests::command::Workplace;
use ampoule_tests::model::{ModelReply, ModelRequest, ModelServer, script};
use ampoule_tests::repository;
use serde_json::{Value, json};

/// What a reference is played by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Player {
    Typescript,
    Python,
    CallTool,
    Direct,
    /// It plays the script, and then says something else.
    Liar,
    /// It says at once that it does not know.
    Idler,
}

const UNKNOWN: &str = "I don't know.";

fn tasks() -> Vec<Task> {
    Task::read(&[repository().join("tests/agent-tasks")]).expect("tasks")
}

impl Player {
    /// The calls of each prompt.
    fn calls(self, task: &Task) -> Vec<Vec<(String, String)>> {
        let scripts = |all: &[Vec<String>], language: &str| {
            let turn =
                |turn: &Vec<String>| turn.iter().map(|code| script(code, language)).collect();
            all.iter().map(turn).collect()
        };
        let reference = &task.reference;
        match self {
            Self::Typescript => scripts(&reference.typescript, "typescript"),
            Self::Python => scripts(&reference.python, "python"),
            Self::Liar if reference.typescript.is_empty() => scripts(&reference.python, "python"),
            Self::Liar => scripts(&reference.typescript, "typescript"),
            Self::CallTool => single(task, |tool, arguments| {
                let arguments = json!({ "server": "demo", "tool": tool, "arguments": arguments });
                ("call_tool".to_owned(), arguments)
            }),
            Self::Direct => single(task, |tool, arguments| (format!("demo__{tool}"), arguments)),
            Self::Idler => Vec::new(),
        }
    }

    /// What it says after its calls.
    fn says(self, result: &str) -> String {
        match self {
            Self::Liar => result.chars().map(other).collect(),
            _ => result.to_owned(),
        }
    }
}

fn single(task: &Task, of: impl Fn(&str, Value) -> (String, Value)) -> Vec<Vec<(String, String)>> {
    let calls = task.reference.calls.iter().map(|turn| {
        let calls = turn.iter().map(|call| {
            let (tool, arguments) = of(&call.tool, Value::Object(call.arguments.clone()));
            (tool, arguments.to_string())
        });
        calls.collect()
    });
    calls.collect()
}

/// Another digit or letter.
fn other(c: char) -> char {
    match c {
        '0'..='8' | 'a'..='y' | 'A'..='Y' => char::from_u32(u32::from(c) + 1).unwrap_or(c),
        '9' => '1',
        'z' | 'Z' => 'b',
        c => c,
    }
}

/// The last message of the person's, and the results of calls since.
fn since_last_prompt(request: &ModelRequest) -> (String, Vec<String>) {
    let (mut prompt, mut results) = (String::new(), Vec::new());
    for message in request.body["messages"].as_array().into_iter().flatten() {
        let text = message["content"].as_str().unwrap_or_default().to_owned();
        match message["role"].as_str() {
            Some("user") => {
                prompt = text;
                results.clear();
            }
            Some("tool") => results.push(text),
            _ => {}
        }
    }
    (prompt, results)
}

async fn playing(player: Player) -> ModelServer {
    let mut turns = BTreeMap::new();
    for task in tasks() {
        let calls = player.calls(&task);
        for (place, prompt) in task.prompts.iter().enumerate() {
            let calls = calls.get(place).cloned().unwrap_or_default();
            assert!(
                turns.insert(prompt.clone(), calls).is_none(),
                "twice: {prompt}"
            );
        }
    }
    ModelServer::start(move |request| {
        let (prompt, results) = since_last_prompt(request);
        let calls = &turns[&prompt];
        match (calls.get(results.len()), results.last()) {
            (Some(call), _) => ModelReply::Calls(String::new(), vec![call.clone()]),
            (None, Some(result)) => ModelReply::Says(player.says(result)),
            (None, None) => ModelReply::Says(UNKNOWN.to_owned()),
        }
    })
    .await
}

/// What came of all tasks in a way.
#[derive(Debug, Default)]
struct Outcome {
    done: BTreeSet<String>,
    tried: BTreeSet<String>,
    unsuited: usize,
    /// What was lost, with the reasons.
    lost: Vec<String>,
}

/// A command for each file: none of them takes long.
async fn bench(player: Player, way: &str) -> Outcome {
    let (workplace, model) = (Workplace::default(), playing(player).await);
    let address = model.address("openai");
    let mut outcome = Outcome::default();
    for file in std::fs::read_dir(repository().join("tests/agent-tasks")).expect("the folder") {
        let file = file.expect("a file").path().display().to_string();
        if !file.ends_with(".toml") {
            continue;
        }
        let mut arguments = vec!["chat", "bench", &file, "--json", "--ways", way];
        arguments.extend(["--model", "scripted", "--endpoint", &address]);
        let ran = workplace.run(&arguments).await;
        let report = ran.json();
        assert_eq!(report["model"], "scripted");
        let before = outcome.lost.len();
        for one in report["tries"].as_array().expect("tries") {
            let name = one["task"].as_str().expect("a name").to_owned();
            outcome.tried.insert(name.clone());
            match one["isDone"] == true {
                true => drop(outcome.done.insert(name)),
                false => outcome.lost.push(format!("{name}: {}", one["why"])),
            }
        }
        outcome.unsuited += report["unsuited"].as_array().expect("names").len();
        let code = i32::from(outcome.lost.len() > before);
        assert_eq!(ran.code, Some(code), "{file}: {ran:?}");
    }
    outcome
}

fn names(wanted: impl Fn(&Task) -> bool) -> BTreeSet<String> {
    tasks()
        .into_iter()
        .filter(wanted)
        .map(|task| task.name)
        .collect()
}

#[test]
fn there_are_tasks_of_each_kind() {
    let tasks = tasks();
    assert!(tasks.len() >= 60, "{}", tasks.len());
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    for task in &tasks {
        *kinds.entry(&task.kind).or_default() += 1;
    }
    let expected = [
        "approvals",
        "changes",
        "errors",
        "files",
        "joins",
        "language",
        "paging",
        "single call",
        "state over turns",
    ];
    assert_eq!(kinds.keys().copied().collect::<Vec<_>>(), expected);
    assert!(kinds.values().all(|count| *count >= 5), "{kinds:?}");
}

#[tokio::test]
async fn each_reference_in_typescript_passes() {
    let outcome = bench(Player::Typescript, "code").await;
    let expected = names(|task| !task.reference.typescript.is_empty());
    assert_eq!(outcome.done, expected, "{:#?}", outcome.lost);
}

#[tokio::test]
async fn each_reference_in_python_passes() {
    let outcome = bench(Player::Python, "code").await;
    let expected = names(|task| !task.reference.python.is_empty());
    assert_eq!(outcome.done, expected, "{:#?}", outcome.lost);
}

#[tokio::test]
async fn each_reference_by_single_calls_passes_and_no_other_task() {
    for (player, way) in [(Player::CallTool, "call-tool"), (Player::Direct, "direct")] {
        let outcome = bench(player, way).await;
        let expected = names(|task| !task.reference.calls.is_empty());
        assert_eq!(outcome.done, expected, "{way}: {:#?}", outcome.lost);
        assert_eq!(outcome.tried, names(|task| !task.scripts_only), "{way}");
        let unsuited = names(|task| task.scripts_only).len();
        assert_eq!(outcome.unsuited, unsuited, "{way}");
    }
}

#[tokio::test]
async fn a_model_that_does_nothing_fails_each_check() {
    let outcome = bench(Player::Idler, "code").await;
    assert_eq!(
        (outcome.done.len(), outcome.tried.len()),
        (0, tasks().len()),
        "{outcome:#?}"
    );
}

#[tokio::test]
async fn a_model_that_says_something_else_fails_each_check_of_an_answer() {
    let outcome = bench(Player::Liar, "code").await;
    let answers = names(|task| !task.check.answer.is_empty());
    let passed: Vec<_> = outcome.done.intersection(&answers).collect();
    assert!(passed.is_empty(), "{passed:?}");
}

#[tokio::test]
async fn each_exposure_shows_the_model_what_it_says() {
    let (workplace, model) = (Workplace::default(), playing(Player::Typescript).await);
    let folder = repository().join("tests/agent-tasks").display().to_string();
    let address = model.address("openai");
    let arguments = [
        "chat",
        "bench",
        &folder,
        "--only",
        "count-products",
        "--ways",
        "listed,searched",
        "--model",
        "scripted",
        "--endpoint",
        &address,
    ];
    let ran = workplace.run(&arguments).await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for row in [
        "| listed | 1 of 1 | 2 | 2000 | 800 | 100 | unknown |",
        "| searched | 1 of 1 |",
    ] {
        assert!(ran.stdout.contains(row), "{ran:?}");
    }
    let requests = model.requests().await;
    let described = |place: usize| requests[place].body["tools"].to_string();
    assert!(described(0).contains("listProducts"), "{}", described(0));
    assert!(!described(2).contains("listProducts"), "{}", described(2));
    let ran = workplace
        .run(&[
            "chat",
            "bench",
            &folder,
            "--only",
            "nothing-has-this-name",
            "--model",
            "m",
            "--endpoint",
            &address,
        ])
        .await;
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = workplace
        .run(&["chat", "bench", &folder, "--ways", "cod", "--model", "m"])
        .await;
    assert!(
        ran.stderr.contains("is not a way to reach tools"),
        "{ran:?}"
    );
}
