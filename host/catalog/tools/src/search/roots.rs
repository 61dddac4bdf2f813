//! Words by what they are derived from: `notification` and `notify`, `creator` and `create`.

use std::collections::HashMap;
use std::sync::Arc;

/// Endings that make nouns and adjectives of verbs, the longest first.
const ENDINGS: &[&str] = &[
    "ification",
    "ication",
    "icate",
    "ization",
    "isation",
    "ational",
    "ations",
    "ation",
    "ition",
    "ement",
    "ment",
    "ance",
    "ence",
    "able",
    "ible",
    "ency",
    "ancy",
    "ator",
    "ness",
    "ity",
    "ive",
    "ify",
    "ize",
    "ise",
    "ate",
    "ion",
    "ant",
    "ent",
    "ure",
    "age",
    "al",
    "er",
    "or",
    "ee",
    "ly",
    "ed",
    "e",
    "y",
    "i",
];

/// How many words of a family are looked for.
const MOST: usize = 8;

/// How many letters of a word are never an ending.
const LEAST: usize = 4;

/// What a word without its endings is derived from, roughly.
pub(super) fn root(stem: &str) -> &str {
    let mut root = stem;
    for _ in 0..2 {
        let mut rests = ENDINGS.iter().filter_map(|end| root.strip_suffix(end));
        root = rests.find(|rest| rest.len() >= LEAST).unwrap_or(root);
    }
    root
}

/// The words that are derived from the same as others, by that.
pub(super) fn families(words: &[Arc<str>]) -> HashMap<Box<str>, Box<[Arc<str>]>> {
    let mut families: HashMap<&str, Vec<Arc<str>>> = HashMap::new();
    for word in words {
        let family = families.entry(root(word)).or_default();
        if family.len() < MOST {
            family.push(Arc::clone(word));
        }
    }
    let families = families.into_iter();
    let more_than_one = families.filter(|(root, words)| words.len() > 1 || *words[0] != **root);
    more_than_one
        .map(|(root, words)| (root.into(), words.into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_of_one_family_that_are_derived_from_the_same() {
        for (one, other) in [
            ("notify", "notification"),
            ("creat", "creator"),
            ("delet", "deletion"),
            ("deploy", "deployment"),
            ("subscrib", "subscriber"),
            ("assign", "assignee"),
            ("configur", "configuration"),
        ] {
            assert_eq!(root(one), root(other));
        }
        assert_ne!(root("list"), root("listen"));
        let words = ["assign", "assignee", "list"].map(Arc::from);
        let families = families(&words);
        assert_eq!(families.len(), 1);
        assert_eq!(families["assign"].len(), 2);
    }
}
