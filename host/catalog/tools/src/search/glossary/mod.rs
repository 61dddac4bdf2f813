//! What terms of art in the names of tools mean, in everyday words: a refund is money back.
//!
//! People ask for what they want to reach, and tools are named after what does it. The words of a
//! term count as said about each tool that has the term in its name, and the tool's vector is of
//! them, too. Most terms are of a field; some are names of widely known products, such as Jenkins or
//! Gmail, where people ask for what the product does.

mod code;
mod documents;
mod machines;
mod screens;
mod trade;
mod work;

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use self::code::CODE;
use self::documents::DOCUMENTS;
use self::machines::MACHINES;
use self::screens::SCREENS;
use self::trade::TRADE;
use self::work::WORK;
use super::words::{stem, tokens, words};

/// How much of a name is looked at, in bytes.
const MAX_NAME: usize = 512;

/// How long what a name means may be as a text, in bytes.
const MAX_TEXT: usize = 120;

/// A term of one or more words, and what it means.
pub(super) struct Term {
    /// Without endings.
    words: Box<[String]>,
    meaning: &'static str,
    /// The words of the meaning, as a search compares them.
    pub(super) said: Box<[String]>,
}

/// All terms, by their first word.
static TERMS: LazyLock<HashMap<String, Vec<Term>>> = LazyLock::new(|| {
    let mut terms: HashMap<String, Vec<Term>> = HashMap::new();
    let all = [CODE, DOCUMENTS, MACHINES, SCREENS, TRADE, WORK];
    for line in all.into_iter().flatten() {
        // A test holds that each line has both.
        let Some((term, meaning)) = line.split_once(" > ") else {
            continue;
        };
        let words: Box<[String]> = words(term).iter().map(|word| stem(word)).collect();
        if let Some(first) = words.first().cloned() {
            terms.entry(first).or_default().push(Term {
                words,
                meaning,
                said: tokens(meaning).into(),
            });
        }
    }
    terms
});

/// The terms in a name, those of most words first.
pub(super) fn terms(name: &str) -> Vec<&'static Term> {
    let name = &name[..name.floor_char_boundary(MAX_NAME)];
    let all: Vec<String> = words(name).iter().map(|word| stem(word)).collect();
    let has: HashSet<&str> = all.iter().map(String::as_str).collect();
    let (mut terms, mut once) = (Vec::new(), HashSet::new());
    for word in &all {
        if once.insert(word) {
            let begun = TERMS.get(word).into_iter().flatten();
            terms.extend(begun.filter(|term| term.words.iter().all(|it| has.contains(&**it))));
        }
    }
    terms.sort_by_key(|term| Reverse(term.words.len()));
    terms
}

/// What the terms in a name mean, as a text; empty if there are none.
pub(crate) fn meaning(name: &str) -> String {
    let mut text = String::new();
    for term in terms(name) {
        let between = if text.is_empty() { "" } else { "; " };
        if text.len() + between.len() + term.meaning.len() <= MAX_TEXT {
            text += between;
            text += term.meaning;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_mean_what_their_terms_mean() {
        assert_eq!(meaning("create_refund"), "money back return payment");
        // The longer term comes first, and its words may be apart.
        let text = meaning("delete-issueAlert_rules");
        assert!(
            text.starts_with("when to warn notify condition; "),
            "{text}"
        );
        assert_eq!(meaning("frobnicate"), "");
        assert_eq!(meaning(""), "");
        let all = TERMS.values().flatten().map(|term| term.words.join(" "));
        let long = meaning(&all.collect::<Vec<_>>().join(" "));
        assert!((1..=MAX_TEXT).contains(&long.len()), "{long}");
    }

    #[test]
    fn each_term_is_there_once_and_means_something_else() {
        let mut once = HashSet::new();
        for line in [CODE, DOCUMENTS, MACHINES, SCREENS, TRADE, WORK].concat() {
            let (term, meaning) = line.split_once(" > ").expect(line);
            assert!(once.insert(term), "{line}");
            assert!(
                meaning.len() <= MAX_TEXT && !words(term).is_empty(),
                "{line}"
            );
            let words: Vec<String> = words(term).iter().map(|word| stem(word)).collect();
            assert!(
                tokens(meaning).iter().any(|word| !words.contains(word)),
                "{line}"
            );
        }
        assert_eq!(TERMS.values().map(Vec::len).sum::<usize>(), once.len());
    }
}
