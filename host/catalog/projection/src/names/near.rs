//! Names that someone may have meant.

use std::collections::HashSet;

use super::{canonical, words};

/// How much of a name is compared, in characters: enough to tell that two are alike, and little
/// enough for thousands of names.
const COMPARED_CHARS: usize = 64;

/// How alike names must be, from 0 to 1, for one to be meant by the other.
const LEAST: f64 = 0.5;

/// The names among `candidates` that someone who wrote `name` may have meant, the likeliest first;
/// at most `limit`.
///
/// Names are alike if few letters differ, if they share words, or if one contains the other. Names
/// that are equally alike come in alphabetical order.
pub fn near<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    limit: usize,
) -> Vec<&'a str> {
    let asked = Comparison::of(name);
    let mut alike: Vec<(f64, &str)> = candidates
        .into_iter()
        .map(|candidate| (asked.likeness(&Comparison::of(candidate)), candidate))
        .filter(|(likeness, _)| *likeness >= LEAST)
        .collect();
    alike.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    alike.dedup_by(|a, b| a.1 == b.1);
    alike.truncate(limit);
    alike.into_iter().map(|(_, candidate)| candidate).collect()
}

struct Comparison {
    letters: String,
    words: HashSet<String>,
}

impl Comparison {
    fn of(name: &str) -> Self {
        let name: String = name.chars().take(COMPARED_CHARS).collect();
        Self {
            letters: canonical(&name),
            words: words(&name).into_iter().collect(),
        }
    }

    /// How alike two names are, from 0 to 1.
    fn likeness(&self, other: &Self) -> f64 {
        let letters = strsim::normalized_damerau_levenshtein(&self.letters, &other.letters);
        let shared = self.words.intersection(&other.words).count();
        let words = 2.0 * shared as f64 / (self.words.len() + other.words.len()).max(1) as f64;
        let (short, long) = if self.letters.len() <= other.letters.len() {
            (self, other)
        } else {
            (other, self)
        };
        let contained = if short.letters.len() >= 3 && long.letters.contains(&short.letters) {
            0.7
        } else {
            0.0
        };
        letters.max(0.9 * words).max(contained)
    }
}
