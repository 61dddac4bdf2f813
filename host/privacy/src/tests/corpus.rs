//! What is found of the corpus: at least so much as the documents say.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::tests::{generator, read};
use crate::{Detector, Settings};

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    fs::read_to_string(path).expect("a file of the corpus")
}

fn items() -> Vec<read::Item> {
    let mut items = read::items(&file("generated.txt"));
    items.extend(read::items(&file("written.txt")));
    items
}

fn find(detector: &Detector, text: &str) -> Vec<(String, Range<usize>)> {
    let found = detector.find(text).into_iter();
    found.map(|found| (found.kind.name().to_owned(), found.range)).collect()
}

#[test]
fn the_corpus_is_what_the_generator_makes() {
    let made = generator::corpus(&file("templates.txt"));
    if std::env::var_os("BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/generated.txt");
        fs::write(path, &made).expect("a file");
    }
    assert!(made == file("generated.txt"), "BLESS=1 writes the corpus anew");
    let items = items();
    assert!(items.len() >= 2000, "{}", items.len());
    let languages: std::collections::BTreeSet<_> = items.iter().map(|item| &item.language).collect();
    assert_eq!(languages.len(), 6);
}
