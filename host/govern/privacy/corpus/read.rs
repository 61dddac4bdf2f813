//! Reads the corpus, and counts what was found of it. Taken in by the tests, by the example that
//! measures, and by the comparison with other detectors.

use std::collections::BTreeMap;
use std::ops::Range;

/// A sentence or a record.
pub(crate) struct Item {
    /// The language.
    pub(crate) language: String,
    /// Nothing was changed because of it.
    pub(crate) held: bool,
    /// The text.
    pub(crate) text: String,
    /// What is in it: kinds, and where.
    pub(crate) labels: Vec<(String, Range<usize>)>,
}

/// The items of a file.
pub(crate) fn items(file: &str) -> Vec<Item> {
    let lines = file
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    lines.map(item).collect()
}

fn item(line: &str) -> Item {
    let (language, rest) = line.split_once(' ').expect("a language");
    let (part, marked) = rest.split_once(' ').expect("a part");
    let mut seed = marked
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    let marked = filled(&marked.replace('⏎', "\n"), &mut seed);
    let (text, labels) = unmarked(&marked);
    Item {
        language: language.to_owned(),
        held: part == "H",
        text,
        labels,
    }
}

/// With characters in place of `⟨b62:36⟩`.
fn filled(text: &str, seed: &mut u64) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('⟨') {
        let (what, after) = after.split_once('⟩').expect("an end");
        let (set, length) = what.split_once(':').expect("a length");
        let set: &[u8] = match set {
            "b62" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
            "b64u" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
            "b64" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
            "hex" => b"0123456789abcdef",
            "up" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
            "upd" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
            "let" => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
            "dec" => b"123456789",
            other => panic!("no set {other}"),
        };
        out.push_str(before);
        let length: usize = length.parse().expect("a number");
        for index in 0..length {
            let mut sign = set[(next(seed) % set.len() as u64) as usize];
            // Keys end with no dash.
            if index + 1 == length && !sign.is_ascii_alphanumeric() {
                sign = b'x';
            }
            out.push(char::from(sign));
        }
        rest = after;
    }
    out + rest
}

/// A number that follows from those before.
pub(crate) fn next(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The text without marks, and where they were.
fn unmarked(marked: &str) -> (String, Vec<(String, Range<usize>)>) {
    let (mut text, mut labels) = (String::new(), Vec::new());
    let mut rest = marked;
    while let Some((before, after)) = rest.split_once('⟦') {
        let (inside, after) = after.split_once('⟧').expect("an end");
        let (kind, value) = inside.split_once('|').expect("a kind");
        text.push_str(before);
        let start = text.len();
        text.push_str(value);
        labels.push((kind.to_owned(), start..text.len()));
        rest = after;
    }
    (text + rest, labels)
}

/// How much of a kind was found.
#[derive(Default, Clone, Copy)]
pub(crate) struct Score {
    /// What there is, and was found with its bounds.
    pub(crate) hits: u32,
    /// What was found and is not there, or has other bounds.
    pub(crate) wrong: u32,
    /// What there is, and was not found.
    pub(crate) missed: u32,
}

impl Score {
    /// Which part of what was found is there.
    pub(crate) fn precision(self) -> f64 {
        ratio(self.hits, self.hits + self.wrong)
    }

    /// Which part of what is there was found.
    pub(crate) fn recall(self) -> f64 {
        ratio(self.hits, self.hits + self.missed)
    }
}

fn ratio(part: u32, all: u32) -> f64 {
    match all {
        0 => 1.0,
        all => f64::from(part) / f64::from(all),
    }
}

/// Counts what is found of items, by kind; `told` gets each mistake. Names in running text are nobody's claim:
/// found or not, they count as `prose-name` alone.
pub(crate) fn score<'i>(
    items: impl IntoIterator<Item = &'i Item>,
    find: impl Fn(&str) -> Vec<(String, Range<usize>)>,
    mut told: impl FnMut(&Item, &str, &str, &Range<usize>),
) -> BTreeMap<String, Score> {
    let mut scores: BTreeMap<String, Score> = BTreeMap::new();
    for item in items {
        let found = find(&item.text);
        for (kind, range) in &item.labels {
            let claimed = kind.strip_prefix("prose-");
            let overlaps = |at: &Range<usize>| at.start < range.end && range.start < at.end;
            let hit = match claimed {
                Some(claimed) => found
                    .iter()
                    .any(|(found, at)| found == claimed && overlaps(at)),
                None => found.iter().any(|(found, at)| found == kind && at == range),
            };
            let score = scores.entry(kind.clone()).or_default();
            match hit {
                true => score.hits += 1,
                false => {
                    score.missed += 1;
                    if claimed.is_none() {
                        told(item, "missed", kind, range);
                    }
                }
            }
        }
        for (kind, range) in &found {
            let overlaps = |at: &Range<usize>| at.start < range.end && range.start < at.end;
            let there = item
                .labels
                .iter()
                .any(|(label, at)| match label.strip_prefix("prose-") {
                    Some(label) => label == kind && overlaps(at),
                    None => label == kind && at == range,
                });
            if !there {
                scores.entry(kind.clone()).or_default().wrong += 1;
                told(item, "wrong", kind, range);
            }
        }
    }
    scores
}
