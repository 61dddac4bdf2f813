//! Whether questions find their tools, by words alone and by words and meaning.
//!
//! `AMPOULE_RECALL_TOOLS` names a folder of tool lists, one file for each server, and
//! `AMPOULE_RECALL_QUESTIONS` a file of questions, for [`questions_of_others`].

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ampoule_projection::Tool;
use ampoule_tools::meaning::Meaning;
use ampoule_tools::testing::Stub;
use ampoule_tools::{Binding, Catalog, Grant, GrantedTools};
use serde::Deserialize;
use serde_json::Value;

use super::model;
use crate::Model;

#[derive(Deserialize)]
struct Question {
    #[serde(alias = "question", alias = "query")]
    ask: String,
    /// Any of these is right.
    tools: Vec<String>,
    #[serde(default)]
    part: String,
}

/// How many questions found their tools, of how many.
#[derive(Default)]
struct Recall {
    first: usize,
    among_five: usize,
    among_ten: usize,
    all: usize,
}

impl Recall {
    fn add(&mut self, place: Option<usize>) {
        let within = |most| usize::from(place.is_some_and(|place| place < most));
        self.first += within(1);
        self.among_five += within(5);
        self.among_ten += within(10);
        self.all += 1;
    }

    fn shares(&self) -> [f64; 3] {
        let share = |count: usize| count as f64 / self.all.max(1) as f64;
        [self.first, self.among_five, self.among_ten].map(share)
    }
}

fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../tests/corpora")
        .join(path)
}

/// The tool lists of a folder, searched by words alone, and by words and meaning.
fn by_words_and_by_both(folder: &Path, model: &Path) -> [GrantedTools; 2] {
    let model = Arc::new(Model::new(model, None).unwrap());
    [None, Some(model as Arc<dyn Meaning>)].map(|meaning| {
        let catalog = Catalog::with_meaning(servers(folder), meaning).unwrap();
        GrantedTools::new(catalog, Grant::all()).unwrap()
    })
}

fn servers(folder: &Path) -> Vec<Arc<dyn Binding>> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    files.sort();
    let servers = files.iter().map(|file| {
        let list: Value = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
        let tools: Vec<Tool> =
            serde_json::from_value(list.get("tools").cloned().unwrap_or(list)).unwrap();
        let name = file.file_stem().unwrap().to_str().unwrap();
        Arc::new(Stub::new(name, tools)) as Arc<dyn Binding>
    });
    servers.collect()
}

/// Waits until all tools are embedded, and says how long that took.
async fn embedded(tools: &GrantedTools) -> Duration {
    let begun = Instant::now();
    loop {
        let found = tools.search("anything", 1, None).await.unwrap();
        let Some(note) = found.notes.iter().find(|note| note.contains("words alone")) else {
            return begun.elapsed();
        };
        assert!(note.contains("being embedded"), "{note}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// The recall of each part of the questions.
async fn recall(tools: &GrantedTools, questions: &Path) -> BTreeMap<String, Recall> {
    let questions: Vec<Question> =
        serde_json::from_str(&fs::read_to_string(questions).unwrap()).unwrap();
    let mut parts: BTreeMap<String, Recall> = BTreeMap::new();
    for question in questions {
        let found = tools.search(&question.ask, 10, None).await.unwrap();
        let names = found
            .hits
            .iter()
            .map(|hit| format!("{}.{}", hit.server(), hit.name()));
        let place = names
            .into_iter()
            .position(|name| question.tools.contains(&name));
        parts.entry(question.part).or_default().add(place);
    }
    parts
}

#[tokio::test]
async fn meaning_finds_what_words_miss() {
    let Some(path) = model("meaning.meaning_finds_what_words_miss") else {
        return;
    };
    let [words, both] = by_words_and_by_both(&corpus("tools"), &path);
    embedded(&both).await;
    for (questions, least) in [
        ("questions.json", [0.82, 0.97, 0.98]),
        ("paraphrases.json", [0.7, 0.9, 0.95]),
    ] {
        let questions = corpus(questions);
        let (before, after) = (
            recall(&words, &questions).await,
            recall(&both, &questions).await,
        );
        for (part, after) in after {
            let (before, after) = (before[&part].shares(), after.shares());
            let enough = after
                .iter()
                .zip(least)
                .all(|(found, least)| *found >= least);
            assert!(
                enough,
                "{part:?}: {before:.3?} by words, {after:.3?} by both"
            );
        }
    }
}

/// Neither the search nor this test says which questions of the unseen half were missed. To embed the
/// tools of both halves takes a quarter of an hour.
#[tokio::test]
async fn both_halves_find_their_tools_by_words_and_meaning() {
    let Some(path) = model("meaning.both_halves_find_their_tools_by_words_and_meaning") else {
        return;
    };
    for (half, least) in [("tuned", [0.67, 0.9, 0.93]), ("unseen", [0.5, 0.72, 0.82])] {
        let folder = corpus("search").join(half);
        let [_, both] = by_words_and_by_both(&folder.join("tools"), &path);
        embedded(&both).await;
        for recall in recall(&both, &folder.join("questions.json")).await.values() {
            let found = recall.shares();
            let enough = found
                .iter()
                .zip(least)
                .all(|(found, least)| *found >= least);
            assert!(enough, "{half}: {found:.3?}");
        }
    }
}

/// Prints what questions that are not in this repository find. For questions that nobody has tuned
/// by.
#[tokio::test]
#[ignore = "needs AMPOULE_RECALL_TOOLS and AMPOULE_RECALL_QUESTIONS"]
#[expect(clippy::print_stdout, reason = "what it is for")]
async fn questions_of_others() {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect(name));
    let questions = variable("AMPOULE_RECALL_QUESTIONS");
    let path = model("meaning.questions_of_others").expect("there is a model");
    let [words, both] = by_words_and_by_both(&variable("AMPOULE_RECALL_TOOLS"), &path);
    let took = embedded(&both).await;
    println!("embedded in {took:.1?}");
    for (how, tools) in [("words alone", &words), ("words and meaning", &both)] {
        let begun = Instant::now();
        for (part, recall) in recall(tools, &questions).await {
            let [first, five, ten] = recall.shares().map(|share| 100.0 * share);
            println!(
                "{how} {part:?}: {} questions, {first:.1} first, {five:.1} among 5, {ten:.1} among 10",
                recall.all
            );
        }
        println!("{how}: {:.1?} for all", begun.elapsed());
    }
}

/// Prints what it takes to embed the project's tools, over and over with other descriptions: as many
/// as `AMPOULE_RECALL_COUNT` says.
#[tokio::test]
#[ignore = "needs AMPOULE_RECALL_COUNT"]
#[expect(clippy::print_stdout, reason = "what it is for")]
async fn what_it_takes() {
    let count = std::env::var("AMPOULE_RECALL_COUNT").expect("a count");
    let count: usize = count.parse().expect("a count");
    let path = model("meaning.what_it_takes").expect("there is a model");
    let mut tools = Vec::new();
    for server in servers(&corpus("tools")) {
        tools.extend(server.tools().await.unwrap().iter().cloned());
    }
    let many = tools
        .iter()
        .cycle()
        .zip(0..count)
        .map(|(tool, place)| Tool {
            name: format!("{}_{place}", tool.name),
            description: tool
                .description
                .as_ref()
                .map(|about| format!("{place}. {about}")),
            ..tool.clone()
        });
    let folder = tempfile::tempdir().unwrap();
    let many: Arc<[Tool]> = many.collect();
    for how in ["embedded", "read from disk"] {
        let server: Arc<dyn Binding> = Arc::new(Stub::new("many", Arc::clone(&many)));
        let model = Model::new(&path, Some(folder.path().join("meaning"))).unwrap();
        let catalog = Catalog::with_meaning(vec![server], Some(Arc::new(model))).unwrap();
        let tools = GrantedTools::new(catalog, Grant::all()).unwrap();
        let (before, peak) = (processor_time(), memory());
        let took = embedded(&tools).await;
        let computed = processor_time() - before;
        println!(
            "{count} tools {how}: {took:.1?}, {computed:.1?} of a processor; {peak} KiB before, {} KiB at most",
            memory()
        );
        let before = processor_time();
        for ask in 0..100 {
            let ask = format!("find the latest invoices of customer {ask} in the mailbox");
            tools.search(&ask, 10, None).await.unwrap();
        }
        println!(
            "a question: {:.1?} of a processor",
            (processor_time() - before) / 100
        );
    }
}

/// What this process has computed, in steps of 10 ms.
fn processor_time() -> Duration {
    let line = fs::read_to_string("/proc/self/stat").unwrap();
    // After the name, which is in brackets: the 14th and 15th fields of all.
    let (_, fields) = line.rsplit_once(") ").unwrap();
    let ticks = fields.split(' ').skip(11).take(2);
    let ticks: u64 = ticks.map(|ticks| ticks.parse::<u64>().unwrap()).sum();
    Duration::from_millis(10 * ticks)
}

/// The most memory that this process had, in KiB.
fn memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.unwrap_or_default()
}
