//! Whether questions find their tools, over the tool lists of ten real servers. Who wrote the
//! questions had not seen the search.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

use super::*;

#[derive(Deserialize)]
struct Question {
    ask: String,
    /// Any of these is right.
    tools: Vec<String>,
    /// `tuning`, or `kept`: the search was not tuned by those.
    #[serde(default)]
    part: String,
}

fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/corpora")
        .join(path)
}

fn corpora() -> Vec<(String, Tool)> {
    let mut files: Vec<_> = fs::read_dir(corpus("tools"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    let tools = files.iter().flat_map(|file| {
        let server = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let list: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let tools: Vec<Tool> =
            serde_json::from_value(list.get("tools").cloned().unwrap_or(list)).unwrap();
        tools.into_iter().map(move |tool| (server.clone(), tool))
    });
    tools.collect()
}

/// How well some questions find their tools.
struct Recall {
    /// The shares of questions whose tool is found first, and among the first five.
    first: f64,
    among_five: f64,
    missed: Vec<String>,
}

fn recall(questions: &str, part: &str) -> Recall {
    let tools = corpora();
    let index = Index::new(tools.iter().map(|(server, tool)| (&**server, tool)));
    let all: Vec<Question> =
        serde_json::from_str(&fs::read_to_string(corpus(questions)).unwrap()).unwrap();
    let asked: Vec<_> = all
        .iter()
        .filter(|question| question.part == part)
        .collect();
    let (mut first, mut among_five, mut missed) = (0, 0, Vec::new());
    for question in &asked {
        let found = index.search(&question.ask, 5);
        let names = found.iter().map(|hit| {
            let (server, tool) = &tools[hit.index];
            format!("{server}.{}", tool.name)
        });
        let names: Vec<String> = names.collect();
        match names.iter().position(|name| question.tools.contains(name)) {
            Some(place) => {
                first += usize::from(place == 0);
                among_five += 1;
            }
            None => missed.push(format!("{:?} found {names:?}", question.ask)),
        }
    }
    let share = |count: usize| count as f64 / asked.len() as f64;
    Recall {
        first: share(first),
        among_five: share(among_five),
        missed,
    }
}

fn holds(questions: &str, part: &str, least_first: f64, least_among_five: f64) {
    let Recall {
        first,
        among_five,
        missed,
    } = recall(questions, part);
    assert!(
        first >= least_first && among_five >= least_among_five,
        "{first:.3} first, {among_five:.3} among five; missed: {missed:#?}"
    );
}

#[test]
fn questions_find_their_tools() {
    for part in ["tuning", "kept"] {
        holds("questions.json", part, 0.8, 0.95);
    }
}

/// The authors of these were asked not to use a description's words. The search has been tuned by
/// them.
#[test]
fn paraphrases_mostly_find_their_tools() {
    holds("paraphrases.json", "", 0.62, 0.87);
}
