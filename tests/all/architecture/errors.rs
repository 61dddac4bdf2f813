//! The names of error types: `<Thing>Error`, after what failed.

use std::collections::BTreeSet;

use ampoule_tests::repository;
use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::sources;

/// What may have another name, each with the reason.
const EXCEPTIONS: [(&str, &str); 1] = [(
    "Fault",
    "what C's header and the other bindings call `fault`",
)];

fn word(tree: Option<&TokenTree>) -> Option<String> {
    match tree {
        Some(TokenTree::Ident(word)) => Some(word.to_string()),
        _ => None,
    }
}

fn is_mark(tree: &TokenTree, mark: char) -> bool {
    matches!(tree, TokenTree::Punct(punct) if punct.as_char() == mark)
}

/// What a source says of types and errors.
#[derive(Default)]
struct Named {
    /// The types that it defines.
    types: BTreeSet<String>,
    /// Those of them that implement `Error`.
    errors: BTreeSet<String>,
    /// What public functions return in place of a value.
    returned: BTreeSet<String>,
}

impl Named {
    fn read(&mut self, stream: TokenStream) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut derives = false;
        for (at, tree) in trees.iter().enumerate() {
            match tree {
                TokenTree::Group(group) => {
                    let is_attribute = at > 0 && is_mark(&trees[at - 1], '#');
                    match is_attribute {
                        true => derives |= derives_error(group.stream()),
                        false => self.read(group.stream()),
                    }
                }
                TokenTree::Ident(it) if *it == "struct" || *it == "enum" => {
                    if let Some(name) = word(trees.get(at + 1)) {
                        if derives {
                            self.errors.insert(name.clone());
                        }
                        self.types.insert(name);
                    }
                    derives = false;
                }
                TokenTree::Ident(it) if *it == "impl" => {
                    self.errors.extend(implements_error(&trees[at..]));
                }
                TokenTree::Ident(it) if *it == "fn" => {
                    derives = false;
                    if is_public(&trees[..at]) {
                        self.returned.extend(error_of(&trees[at..]));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether an attribute derives `Error`, as `thiserror` does.
fn derives_error(attribute: TokenStream) -> bool {
    let trees: Vec<TokenTree> = attribute.into_iter().collect();
    let is_derive = word(trees.first()).is_some_and(|it| it == "derive");
    let derived = trees.get(1).map(ToString::to_string).unwrap_or_default();
    let mut words = derived.split(|it: char| !it.is_alphanumeric() && it != '_');
    is_derive && words.any(|it| it == "Error")
}

/// The type of `impl Error for Type`, by whatever path, with or without parameters.
fn implements_error(trees: &[TokenTree]) -> Option<String> {
    let is_body = |tree: &TokenTree| matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
    let head = trees.split(is_body).next()?;
    let at = (head.iter()).position(|tree| matches!(tree, TokenTree::Ident(it) if *it == "for"))?;
    let is_error = word(head[..at].last()).is_some_and(|it| it == "Error");
    // Serde's traits for what its formats fail with are implemented by errors as well.
    is_error.then(|| word(head.get(at + 1))).flatten()
}

/// Whether what stands before `fn` makes the function public everywhere.
fn is_public(before: &[TokenTree]) -> bool {
    let mut words = before.iter().rev();
    loop {
        match words.next() {
            Some(TokenTree::Ident(it)) if *it == "pub" => return true,
            Some(TokenTree::Ident(it)) if ["async", "const", "unsafe"].iter().any(|w| it == w) => {}
            _ => return false,
        }
    }
}

/// Where the arrow of a function begins: not one among its parameters or their bounds.
fn arrow(head: &[TokenTree]) -> Option<usize> {
    let mut depth = 0;
    for (at, pair) in head.windows(2).enumerate() {
        if is_mark(&pair[0], '-') && is_mark(&pair[1], '>') {
            if depth == 0 {
                return Some(at);
            }
            // The arrow's own mark closes nothing.
            depth += 1;
        } else if is_mark(&pair[0], '<') {
            depth += 1;
        } else if is_mark(&pair[0], '>') {
            depth -= 1;
        }
    }
    None
}

/// The error of the `Result` that a function returns: the last word of its path.
fn error_of(function: &[TokenTree]) -> Option<String> {
    let is_end = |tree: &TokenTree| {
        is_mark(tree, ';')
            || matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
    };
    let head = function.split(is_end).next()?;
    let returned = &head[arrow(head)? + 2..];
    let at = (returned.iter())
        .position(|tree| matches!(tree, TokenTree::Ident(it) if *it == "Result"))?;
    let (mut depth, mut behind, mut error) = (0, false, None);
    for (index, tree) in returned.iter().enumerate().skip(at + 1) {
        if is_mark(tree, '<') {
            depth += 1;
        } else if is_mark(tree, '>') && !is_mark(&returned[index - 1], '-') {
            depth -= 1;
        } else if is_mark(tree, ',') && depth == 1 {
            behind = true;
        } else if let (true, 1, Some(word)) = (behind, depth, word(Some(tree))) {
            error = Some(word);
        }
        if depth == 0 {
            break;
        }
    }
    error
}

fn is_named_so(name: &str) -> bool {
    let is_exception = EXCEPTIONS.iter().any(|(exception, _)| *exception == name);
    name.ends_with("Error") || is_exception
}

#[test]
fn error_types_are_called_errors() {
    let mut named = Named::default();
    for path in sources() {
        let place = path.strip_prefix(repository()).expect("a source");
        let place = place.to_string_lossy();
        let is_test = place.contains("/tests/") || place.ends_with("/tests.rs");
        if place.starts_with("host/") && !is_test {
            let text = std::fs::read_to_string(&path).expect("a source");
            named.read(text.parse().expect("a source in Rust"));
        }
    }
    let (errors, returned) = (named.errors.len(), named.returned.len());
    assert!(errors > 60 && returned > 50, "{errors}, {returned}");
    let returned = named.returned.intersection(&named.types);
    let mut others: BTreeSet<_> = named.errors.iter().chain(returned).collect();
    others.retain(|name| !is_named_so(name));
    assert!(
        others.is_empty(),
        "an error type is `<Thing>Error`, after what failed (STYLE.md): {others:?}"
    );
    for (name, why) in EXCEPTIONS {
        let is_used = named.errors.contains(name) || named.returned.contains(name);
        assert!(is_used, "no error has this name anymore: {name}, {why}");
    }
}

#[test]
fn error_types_are_found_however_they_are_made() {
    let text = "#[derive(Debug, thiserror::Error)] #[error(\"a\")] pub struct Derived(String); \
        #[derive(Debug)] struct Plain; struct Own; impl<T> std::error::Error for Own<T> {} \
        impl From<Plain> for Error { fn from(_: Plain) -> Self { Self } } \
        pub async fn a<F: Fn(u8) -> u8>(f: F) -> Result<Vec<(u8, u8)>, crate::Plain> {} \
        pub fn c() -> Result<impl Fn(u8) -> u8, Refused<u8>> {} pub(crate) fn d() -> Result<u8, E> {} \
        pub fn e() -> Result<u8> {}";
    let mut named = Named::default();
    named.read(text.parse().expect("a source"));
    let all = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(named.types, all(&["Derived", "Own", "Plain"]));
    assert_eq!(named.errors, all(&["Derived", "Own"]));
    assert_eq!(named.returned, all(&["Plain", "Refused"]));
}
