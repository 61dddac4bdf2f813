//! What is found of the corpus: at least so much as the documents say.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::tests::{generator, read};
use crate::{Detector, Settings};

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    fs::read_to_string(path).expect("a file of the corpus")
}

fn items() -> Vec<read::Item> {
    let mut items = read::items(&file("generated.txt"));
    items.extend(read::items(&file("written.txt")));
    items
}

fn find(detector: &Detector, text: &str) -> Vec<(String, Range<usize>)> {
    let found = detector.find(text).into_iter();
    found
        .map(|found| (found.kind.name().to_owned(), found.range))
        .collect()
}

#[test]
fn the_corpus_is_what_the_generator_makes() {
    let made = generator::corpus(&file("templates.txt"));
    if std::env::var_os("BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/generated.txt");
        fs::write(path, &made).expect("a file");
    }
    assert!(
        made == file("generated.txt"),
        "BLESS=1 writes the corpus anew"
    );
    let items = items();
    assert!(items.len() >= 2000, "{}", items.len());
    let languages: std::collections::BTreeSet<_> =
        items.iter().map(|item| &item.language).collect();
    assert_eq!(languages.len(), 6);
}

/// What the documents say, in per cent, less what a change may cost before somebody has to look: precision and recall, by kind.
const FLOORS: &[(&str, f64, f64)] = &[
    ("address", 98.0, 94.0),
    ("card", 99.0, 99.0),
    ("email", 99.0, 99.0),
    ("iban", 99.0, 99.0),
    ("id", 99.0, 98.0),
    ("ip", 99.0, 98.0),
    ("name", 98.0, 98.0),
    ("phone", 96.0, 95.0),
    ("secret", 99.0, 99.0),
];

#[test]
fn so_much_is_found_at_least() {
    let detector = Detector::new(&Settings::default()).expect("settings");
    let items = items();
    let scores = read::score(&items, |text| find(&detector, text), |_, _, _, _| {});
    for (kind, precision, recall) in FLOORS {
        let score = scores[*kind];
        let found = (100.0 * score.precision(), 100.0 * score.recall());
        assert!(
            found.0 >= *precision && found.1 >= *recall,
            "{kind}: {found:?}"
        );
    }
}

#[test]
fn what_was_held_out_is_found_as_well() {
    let detector = Detector::new(&Settings::default()).expect("settings");
    let items = items();
    let part = |held: bool| {
        let items = items.iter().filter(|item| item.held == held);
        let scores = read::score(items, |text| find(&detector, text), |_, _, _, _| {});
        let claimed = scores
            .iter()
            .filter(|(kind, _)| !kind.starts_with("prose-"));
        claimed.fold(read::Score::default(), |sum, (_, score)| read::Score {
            hits: sum.hits + score.hits,
            wrong: sum.wrong + score.wrong,
            missed: sum.missed + score.missed,
        })
    };
    let (tuned, held) = (part(false), part(true));
    assert!(
        tuned.recall() - held.recall() < 0.1 && held.recall() > 0.85,
        "{}, {}",
        tuned.recall(),
        held.recall()
    );
    assert!(
        tuned.precision() - held.precision() < 0.1 && held.precision() > 0.85,
        "{}, {}",
        tuned.precision(),
        held.precision()
    );
}
