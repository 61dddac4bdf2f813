use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use parking_lot::Mutex;

use super::*;
use crate::testing::Stub;
use crate::{Binding, Catalog, Grant, GrantedTools};

/// Says of a text whether it is about sound, and of nothing else.
#[derive(Default)]
struct Ear {
    known: Mutex<HashMap<String, Vector>>,
    embedded: AtomicUsize,
    others_make: AtomicBool,
    /// It embeds nothing as long as that is so.
    is_held: AtomicBool,
    broken: AtomicBool,
}

fn heard(text: &str) -> Vector {
    match ["song", "music", "tune"]
        .iter()
        .any(|word| text.contains(word))
    {
        true => Vector::of(&[1.0, 0.1]),
        false => Vector::of(&[0.0, 1.0]),
    }
}

impl Meaning for Ear {
    fn known(&self, texts: &[String]) -> Vec<Option<Vector>> {
        let known = self.known.lock();
        texts.iter().map(|text| known.get(text).cloned()).collect()
    }

    fn turn(&self) -> Turn {
        match self.others_make.load(Relaxed) {
            true => Turn::Others,
            false => Turn::Ours(Box::new(())),
        }
    }

    fn embed(&self, text: &str, _: &Effort) -> Result<Vector, MeaningError> {
        while self.is_held.load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
        if self.broken.load(Relaxed) {
            return Err(MeaningError::Model("the model is broken".to_owned()));
        }
        self.embedded.fetch_add(1, Relaxed);
        self.known.lock().insert(text.to_owned(), heard(text));
        Ok(heard(text))
    }

    fn save(&self) {}

    fn question(&self, text: &str, effort: &Effort) -> Result<Vector, MeaningError> {
        effort.spend(1)?;
        Ok(heard(text))
    }
}

fn tool(name: &str) -> Tool {
    serde_json::from_value(serde_json::json!({ "name": name, "inputSchema": {} })).unwrap()
}

fn granted(binding: &Stub, ear: &Arc<Ear>) -> GrantedTools {
    let bindings: Vec<Arc<dyn Binding>> = vec![Arc::new(binding.clone())];
    let catalog = Catalog::with_meaning(bindings, Some(Arc::clone(ear) as Arc<dyn Meaning>));
    GrantedTools::new(catalog.unwrap(), Grant::all()).unwrap()
}

async fn found(tools: &GrantedTools, query: &str) -> (Vec<String>, Vec<String>) {
    let found = tools.search(query, 5, None).await.unwrap();
    let names = found.hits.iter().map(|hit| hit.name().to_string());
    (names.collect(), found.notes)
}

async fn until_embedded(tools: &GrantedTools) {
    while !found(tools, "music").await.1.is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn words_answer_until_the_tools_are_embedded() {
    let (ear, media) = (
        Arc::default(),
        Stub::new("media", [tool("sing-song"), tool("stop")]),
    );
    let tools = granted(&media, &ear);
    ear.is_held.store(true, Relaxed);
    let note = "found by words alone while 2 tools are being embedded";
    assert_eq!(
        found(&tools, "music").await,
        (vec![], vec![note.to_owned()])
    );
    ear.is_held.store(false, Relaxed);
    until_embedded(&tools).await;
    assert_eq!(found(&tools, "music").await.0, ["sing-song"]);
    assert_eq!(found(&tools, "stop").await.0, ["stop"]);
    assert_eq!(ear.embedded.load(Relaxed), 4);
}

#[tokio::test]
async fn a_caller_that_waits_is_answered_by_meaning_at_once() {
    let (ear, media) = (
        Arc::default(),
        Stub::new("media", [tool("sing-song"), tool("stop")]),
    );
    let tools = granted(&media, &ear).waiting();
    assert_eq!(
        found(&tools, "music").await,
        (vec!["sing-song".to_owned()], vec![])
    );
}

#[tokio::test]
async fn only_what_is_new_is_embedded() {
    let (ear, media) = (Arc::default(), Stub::new("media", [tool("sing-song")]));
    let tools = granted(&media, &ear);
    until_embedded(&tools).await;
    media.list([tool("sing-song"), tool("stop"), tool("hum-tune")]);
    until_embedded(&tools).await;
    assert_eq!(found(&tools, "music").await.0, ["sing-song", "hum-tune"]);
    assert_eq!(ear.embedded.load(Relaxed), 6);
    // Another process, or one with another grant.
    let others = granted(&media, &ear);
    assert_eq!(found(&others, "music").await.0, ["sing-song", "hum-tune"]);
}

#[tokio::test(start_paused = true)]
async fn what_others_make_is_waited_for() {
    let (ear, media) = (
        Arc::<Ear>::default(),
        Stub::new("media", [tool("sing-song")]),
    );
    ear.others_make.store(true, Relaxed);
    let tools = granted(&media, &ear);
    assert!(!found(&tools, "music").await.1.is_empty());
    for text in texts("media", &tool("sing-song")) {
        ear.known.lock().insert(text.clone(), heard(&text));
    }
    until_embedded(&tools).await;
    assert_eq!(found(&tools, "music").await.0, ["sing-song"]);
    assert_eq!(ear.embedded.load(Relaxed), 0);
}

#[tokio::test]
async fn a_broken_model_leaves_words_and_says_so() {
    let (ear, media) = (
        Arc::<Ear>::default(),
        Stub::new("media", [tool("sing-song")]),
    );
    ear.broken.store(true, Relaxed);
    let tools = granted(&media, &ear);
    let note = "found by words alone: the model is broken";
    while found(&tools, "song").await.1 != [note] {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(found(&tools, "song").await.0, ["sing-song"]);
}

#[test]
fn similarity_is_that_of_directions() {
    let (a, b) = (Vector::of(&[1.0, 2.0]), Vector::of(&[2.0, 4.0]));
    assert!((a.similarity(&b) - 1.0).abs() < 0.01);
    assert!((a.similarity(&Vector::of(&[-1.0, -2.0])) + 1.0).abs() < 0.01);
    assert!(a.similarity(&Vector::of(&[2.0, -1.0])).abs() < 0.02);
    // Nothing is like what has no direction, and whatever was on a disk compares.
    assert_eq!(a.similarity(&Vector::of(&[0.0, 0.0])), 0.0);
    assert!(
        Vector::from(vec![-128; 384])
            .similarity(&Vector::from(vec![-128; 7]))
            .is_finite()
    );
}
