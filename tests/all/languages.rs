//! Scripts in several languages: which language a script is in, and the messages of its run.

use std::path::{Path, PathBuf};

use ampoule::{Ending, Grant, Language, Limits, Outcome, Script};
use ampoule_tests::command::{Ran, Served, Workplace};
use ampoule_tests::{repository, runtime};
use serde_json::{Value, json};

async fn python(source: &str) -> Outcome {
    let isolate = runtime()
        .isolate(Script::python(source))
        .grant(Grant::all());
    isolate.run().await.expect("no host fault")
}

async fn python_value(source: &str) -> Value {
    let outcome = python(source).await;
    match outcome.value() {
        Ok(value) => value,
        Err(error) => panic!("{error}\nscript: {source}\noutput: {}", outcome.output),
    }
}

/// All files below a folder.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// The blocks of code in a document, each with the word of its fence.
fn blocks(document: &str) -> Vec<(String, String)> {
    let mut blocks: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        match line.strip_prefix("```") {
            Some(info) if !inside => blocks.push((info.to_owned(), String::new())),
            Some(_) => {}
            None if inside => {
                let (_, code) = blocks.last_mut().expect("a block that was begun");
                code.push_str(line);
                code.push('\n');
            }
            None => {}
        }
        inside ^= line.starts_with("```");
    }
    blocks
}

/// Every script of this repository is taken for what it is, without its name and its fence.
#[test]
fn the_code_of_this_repository_is_told_apart() {
    let mut scripts: Vec<(String, Language, String)> = Vec::new();
    for document in ["README.md", "docs/guides/components.md"] {
        let text = std::fs::read_to_string(repository().join(document)).expect("a document");
        for (info, code) in blocks(&text) {
            let language = match info.as_str() {
                "ts" | "js" => Language::TypeScript,
                "py" | "python" => Language::Python,
                _ => continue,
            };
            scripts.push((document.to_owned(), language, code));
        }
    }
    let mut found = Vec::new();
    for folder in ["examples", "guests/examples", "tests/corpora"] {
        files(&repository().join(folder), &mut found);
    }
    for path in found {
        if let Some(language) = Language::of_file(&path) {
            let code = std::fs::read_to_string(&path).expect("text");
            scripts.push((path.display().to_string(), language, code));
        }
    }
    assert!(scripts.len() > 20, "{} scripts", scripts.len());
    for (place, language, code) in scripts {
        let is_python = Language::of_code(&code) == Language::Python;
        assert_eq!(is_python, language == Language::Python, "{place}\n{code}");
    }
}

#[tokio::test]
async fn the_language_comes_from_the_name_the_argument_or_the_code() {
    let workplace = Workplace::default();
    // Each would fail in the other language.
    workplace.file("sum.py", "[n for n in range(3)]");
    workplace.file("script", "def double(n):\n    return 2 * n\n\ndouble(21)");
    let stated = |ran: &Ran| ran.stderr.contains("guessed from the code");
    let ran = workplace.run(&["run", "sum.py"]).await;
    assert_eq!((ran.json(), stated(&ran)), (json!([0, 1, 2]), false));
    let ran = workplace.run(&["run", "script"]).await;
    assert_eq!(ran.json(), 42);
    assert!(
        ran.stderr
            .contains("ampoule: Python (guessed from the code); "),
        "{}",
        ran.stderr
    );
    // It looks like neither.
    let code = "7 // 2";
    let ran = workplace
        .run(&["run", "--language", "python", "-e", code])
        .await;
    assert_eq!((ran.json(), stated(&ran)), (json!(3), false));
    let ran = workplace.run(&["run", "-e", code]).await;
    assert_eq!(ran.json(), 7);
    assert!(
        ran.stderr.contains("TypeScript (guessed from the code); "),
        "{}",
        ran.stderr
    );
    let ran = workplace
        .run(&["run", "--json", "-e", "```py\n1 + 1\n```"])
        .await;
    assert_eq!(ran.json()["language"], "python");
    assert_eq!(ran.json()["value"], 2);
}

#[tokio::test]
async fn tools_have_the_names_and_declarations_of_the_scripts_language() {
    let found = python_value(
        "found = tools.search('panics before it waits')\n[found[0].identifier, tools.describe('test-tools.panic_at_once')]",
    )
    .await;
    assert_eq!(found[0], "panic_at_once");
    let declared = found[1].as_str().expect("a text");
    assert!(
        declared.starts_with("# tools.test_tools\n")
            && declared.contains("async def panic_at_once("),
        "{declared}"
    );
    assert!(!declared.contains("import"), "{declared}");
    assert_eq!(
        python_value("(await tools.test_tools.add(a=1, b=2))['sum']").await,
        3.0
    );
}

#[tokio::test]
async fn a_search_on_the_command_line_has_the_names_that_are_asked_for() {
    let workplace = Workplace::default();
    for (flags, name) in [
        (&[][..], "demo.createTicket "),
        (&["--language", "python"], "demo.create_ticket "),
    ] {
        let search = ["tools", "search", "open", "a", "ticket", "--limit", "1"];
        let ran = workplace.run(&[&search, flags].concat()).await;
        assert!(ran.stdout.starts_with(name), "{ran:?}");
    }
}

#[tokio::test]
async fn near_misses_are_in_the_scripts_language() {
    let Ending::Threw(thrown) = python("await tools.test_tools.panic_at_onse()")
        .await
        .ending
    else {
        panic!("there is no such tool");
    };
    assert!(
        thrown.message.contains("did you mean `panic_at_once`"),
        "{thrown}"
    );
    assert!(!thrown.message.contains("panicAtOnce"), "{thrown}");
    let place = thrown.location.expect("a place");
    assert_eq!((place.module.as_str(), place.line), ("script.py", 1));
}

/// An operator who allows less memory than the interpreter has from the start should learn that,
/// rather than that the script used it.
#[tokio::test]
async fn a_limit_below_what_the_interpreter_takes_is_said_to_be_that() {
    let limits = Limits {
        memory_bytes: 1 << 20,
        ..Limits::default()
    };
    for script in [Script::python("1"), Script::typescript("1")] {
        let isolate = runtime().isolate(script).limits(limits).unwrap();
        let error = isolate.run().await.unwrap_err();
        assert!(error.is_request(), "{error}");
        let message = error.to_string();
        assert!(
            message.starts_with("the limit `memory` is 1048576 bytes, and the interpreter takes ")
                && message.ends_with(" before a script begins; allow at least that"),
            "{message}"
        );
    }
}

/// What the default allows leaves a script in Python as much as most need.
#[tokio::test]
async fn python_has_useful_room_under_the_default_limits() {
    let rows = "len([{'id': n, 'name': f'row {n}', 'tags': ['a', str(n)]} for n in range(50_000)])";
    assert_eq!(python_value(rows).await, 50_000);
}

/// What the code folder of a workplace holds.
fn kept(workplace: &Workplace) -> usize {
    let mut found = Vec::new();
    files(&workplace.path().join("cache/ampoule/code"), &mut found);
    found.len()
}

#[tokio::test]
async fn a_first_run_says_what_it_waits_for_and_later_ones_do_not_wait() {
    let workplace = Workplace::without_compiled_code();
    let ran = workplace
        .run(&["run", "--language", "javascript", "-e", "return 2"])
        .await;
    assert_eq!(ran.json(), 2);
    let told: Vec<&str> = ran.stderr.lines().collect();
    assert!(
        told.contains(&"ampoule: compiling the JavaScript guest; this happens once …"),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|line| line.starts_with("ampoule: compiled the JavaScript guest in ")),
        "{told:?}"
    );
    let ran = workplace
        .run(&["run", "--language", "javascript", "-e", "return 2"])
        .await;
    assert!(!ran.stderr.contains("compil"), "{}", ran.stderr);
    assert_eq!(kept(&workplace), 1);
}

#[tokio::test]
async fn warm_compiles_what_is_asked_for_once() {
    let workplace = Workplace::without_compiled_code();
    let warm = ["warm", "--language", "typescript,javascript"];
    for done in ["compiled in ", "was already compiled"] {
        let ran = workplace.run(&warm).await;
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let said: Vec<&str> = ran.stdout.lines().collect();
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].starts_with(&format!("the JavaScript guest: {done}"))
                && said[0].ends_with(" MiB"),
            "{said:?}"
        );
        assert!(
            said[1].starts_with("compiled code is in ") && said[1].ends_with("cache/ampoule/code"),
            "{said:?}"
        );
        assert_eq!(kept(&workplace), 1);
    }
}

#[tokio::test]
async fn warm_fails_where_nothing_can_be_kept() {
    let workplace = Workplace::without_compiled_code();
    workplace.file("cache/ampoule/code", "no folder");
    let ran = workplace.run(&["warm"]).await;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(2), ""), "{ran:?}");
    assert!(
        ran.stderr.contains("no folder for compiled code"),
        "{}",
        ran.stderr
    );
}

fn execute(id: u32, language: &str, code: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "execute_code",
        "arguments": {"code": code, "language": language},
        "_meta": {"progressToken": id},
    }})
}

/// While the Python guest is compiled for two calls, JavaScript runs, and a client that waits for
/// long is told what for.
#[tokio::test]
async fn serve_never_blocks_on_compiling() {
    let workplace = Workplace::without_compiled_code();
    let mut served = Served::greeted(&workplace, &[]).await;
    // Its own guest is compiled by then; Python is compiled behind it, for any client.
    served.ask(execute(2, "typescript", "return 1")).await;
    served.send(execute(3, "python", "3")).await;
    served.send(execute(4, "python", "4")).await;
    served.send(execute(5, "javascript", "return 5")).await;
    let mut answered = Vec::new();
    while answered.len() < 3 {
        let message = served.next().await.expect("an answer");
        if message["method"] == "notifications/progress" {
            // Of nothing but Python: the run in JavaScript is over before a second is.
            let text = message["params"]["message"].as_str().expect("a message");
            let begins = "waiting for the Python guest to be compiled, which happens once; ";
            assert!(
                text.starts_with(begins) && text.ends_with(" s so far"),
                "{text}"
            );
        } else if let Some(id) = message["id"].as_u64() {
            let text = &message["result"]["content"][0]["text"];
            assert_eq!(*text, id.to_string(), "{message}");
            answered.push(id);
        }
    }
    assert_eq!(answered[0], 5, "JavaScript waits for Python");
    assert_eq!(kept(&workplace), 2, "it is compiled once");
    assert_eq!(served.close().await, Some(0));
}

/// The name of a script's file is in its errors, with the line.
#[tokio::test]
async fn errors_in_python_show_the_line() {
    let workplace = Workplace::default();
    workplace.file("report.py", "a = 1\nb = a + 'x'\n");
    let ran = workplace.run(&["run", "report.py"]).await;
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.stderr.contains("TypeError: ")
            && ran.stderr.contains("--> report.py:2:")
            && ran.stderr.contains("2 | b = a + 'x'"),
        "{}",
        ran.stderr
    );
}

/// The host and the guests know the same names of languages behind a fence.
#[test]
fn what_guests_take_off_as_a_fence_tells_the_host_the_language() {
    let names = |text: &str, from: &str| -> Vec<String> {
        let list = text.split_once(from).expect("a list").1;
        let list = &list[..list.find(['}', ';']).expect("its end")];
        let quoted = list.split('"').skip(1).step_by(2);
        quoted.map(str::to_owned).collect()
    };
    let javascript = include_str!("../../guests/javascript/src/source/fence.rs");
    let python = include_str!("../../guests/python/lib/ampoule_guest/fence.py");
    let javascript = names(javascript, "const LANGUAGES: [&str;");
    let python = names(python, "LANGUAGES = frozenset({");
    assert!(javascript.len() > 5 && python.len() > 5);
    for name in javascript {
        let told = Language::of_code(&format!("```{name}\nx\n```"));
        assert_ne!(told, Language::Python, "{name}");
    }
    for name in python {
        let told = Language::of_code(&format!("```{name}\nx\n```"));
        assert_eq!(told, Language::Python, "{name}");
    }
}
