//! The names of types: nouns, and no bare participles, pronouns or question words.

use ampoule_tests::repository;
use proc_macro2::{TokenStream, TokenTree};

use super::sources;

/// The folders whose types are held.
const HELD: [&str; 3] = ["guests/builder/", "host/", "xtask/"];

/// Words that say how a value came to be, or ask for it, and not what it is. Participles that end
/// with `ed` are found without a list.
const WORDS: &str = "Above After Again Before Begun Below Beside Brought Built Chosen Done Found \
    Given Heard Held How Instead Kept Known Left Made Meant Other Others Over Put Said Seen Sent \
    Shown Taken Told What When Where Whose Why Within Without";

/// What may stay, each with the reason.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("Need Seed Shared", "nouns"),
    (
        "Opened Removed",
        "events of the audit log, as they are called on disk",
    ),
];

fn is_among(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

/// Whether a name is a participle, a pronoun or the like, and nothing else.
fn is_bare(name: &str) -> bool {
    let is_one_word = name.chars().filter(char::is_ascii_uppercase).count() == 1;
    let is_participle = name.len() > 4 && name.ends_with("ed");
    is_one_word && (is_participle || is_among(WORDS, name))
}

/// The types that a source defines, wherever they stand.
fn types(stream: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for (at, tree) in trees.iter().enumerate() {
        match tree {
            TokenTree::Group(group) => types(group.stream(), found),
            TokenTree::Ident(word)
                if is_among("struct enum trait type union", &word.to_string()) =>
            {
                if let Some(TokenTree::Ident(name)) = trees.get(at + 1) {
                    found.push(name.to_string());
                }
            }
            _ => {}
        }
    }
}

#[test]
fn types_are_called_by_nouns() {
    let (mut bare, mut seen) = (Vec::new(), 0);
    for path in sources() {
        let place = path.strip_prefix(repository()).expect("a source");
        let place = place.to_string_lossy();
        let is_test = place.contains("/tests/") || place.ends_with("/tests.rs");
        if is_test || !HELD.iter().any(|family| place.starts_with(family)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a source");
        let mut names = Vec::new();
        types(text.parse().expect("a source in Rust"), &mut names);
        seen += names.len();
        let is_allowed = |name: &String| EXCEPTIONS.iter().any(|(words, _)| is_among(words, name));
        names.retain(|name| is_bare(name) && !is_allowed(name));
        bare.extend(names.iter().map(|name| format!("{place}: {name}")));
    }
    assert!(seen > 1_000, "{seen}");
    assert!(
        bare.is_empty(),
        "a type is a noun of the field (STYLE.md):\n{}",
        bare.join("\n")
    );
}

#[test]
fn bare_words_are_told_from_nouns() {
    let text = "pub(crate) struct Told; mod a { enum Kept { One } type Whose<T> = T; } \
        fn f() { struct SealedText; trait Binding {} struct Bed; }";
    let mut names = Vec::new();
    types(text.parse().expect("a source"), &mut names);
    assert_eq!(
        names,
        ["Told", "Kept", "Whose", "SealedText", "Binding", "Bed"]
    );
    names.retain(|name| is_bare(name));
    assert_eq!(names, ["Told", "Kept", "Whose"]);
    assert!(is_bare("Denied") && !is_bare("DeniedCall"));
}
