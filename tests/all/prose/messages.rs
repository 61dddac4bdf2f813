//! What the host says to people and models: its messages, and the docs that become help and the
//! schema of the configuration.

use std::path::Path;

use ampoule_tests::repository;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Expr, ExprLit, Item, Lit, Meta};

use super::{faults, in_repository, read};
use crate::architecture::sources;

/// What makes help or a schema of a type's docs.
const SHOWN: [&str; 5] = ["Args", "JsonSchema", "Parser", "Subcommand", "ValueEnum"];

/// Files of the host that people read as they are, by how their names end.
const FILES: [&str; 3] = [".pyi", ".d.ts", "ampoule.h"];

/// How few messages a search may find, lest it passes by finding none.
const LEAST_MESSAGES: usize = 10_000;
const LEAST_DOCS: usize = 500;

/// Whether what follows the `#` of an attribute keeps an item to tests.
fn is_for_tests(attribute: &TokenTree) -> bool {
    let TokenTree::Group(group) = attribute else {
        return false;
    };
    let written = group.stream().to_string().replace(' ', "");
    group.delimiter() == Delimiter::Bracket && ["cfg(test)", "test"].contains(&&*written)
}

/// Whether a tree ends an item: its body, or what stands for one.
fn ends_an_item(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Punct(sign) => sign.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}

/// The text of a literal that is one.
fn text(tree: &TokenTree) -> Option<String> {
    let TokenTree::Literal(literal) = tree else {
        return None;
    };
    match Lit::new(literal.clone()) {
        Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}

/// The texts of a source, also those in macros and attributes, but for docs and tests.
fn messages(stream: TokenStream, found: &mut Vec<String>) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    let is_doc = matches!(
        &trees[..],
        [TokenTree::Ident(word), TokenTree::Punct(sign), _]
            if word == "doc" && sign.as_char() == '='
    );
    let mut at = 0;
    while let Some(tree) = trees.get(at) {
        at += 1;
        match tree {
            TokenTree::Punct(sign)
                if sign.as_char() == '#' && trees.get(at).is_some_and(is_for_tests) =>
            {
                let rest = trees[at..].iter();
                at += rest.take_while(|tree| !ends_an_item(tree)).count() + 1;
            }
            TokenTree::Group(group) => messages(group.stream(), found),
            tree if !is_doc => found.extend(text(tree)),
            _ => {}
        }
    }
}

/// The docs among attributes, as one text.
fn doc(attributes: &[Attribute]) -> Option<String> {
    let lines = attributes.iter().filter_map(|attribute| {
        let Meta::NameValue(pair) = &attribute.meta else {
            return None;
        };
        match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(line),
                ..
            }) if pair.path.is_ident("doc") => Some(line.value()),
            _ => None,
        }
    });
    let lines: Vec<_> = lines.map(|line| line.trim().to_owned()).collect();
    (!lines.is_empty()).then(|| lines.join(" "))
}

/// Whether a type's docs are shown.
fn is_shown(attributes: &[Attribute]) -> bool {
    let derives = attributes.iter().filter(|it| it.path().is_ident("derive"));
    let mut words = derives.flat_map(|derive| derive.meta.to_token_stream().into_iter());
    words.any(|tree| {
        let TokenTree::Group(group) = tree else {
            return false;
        };
        let mut names = group.stream().into_iter();
        names.any(|name| SHOWN.iter().any(|shown| name.to_string() == *shown))
    })
}

/// The docs of the types that are shown, and of their fields and variants.
fn shown_docs(items: &[Item], found: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Mod(module) => {
                if let Some((_, items)) = &module.content {
                    shown_docs(items, found);
                }
            }
            Item::Struct(it) if is_shown(&it.attrs) => {
                found.extend(doc(&it.attrs));
                found.extend(it.fields.iter().filter_map(|field| doc(&field.attrs)));
            }
            Item::Enum(it) if is_shown(&it.attrs) => {
                found.extend(doc(&it.attrs));
                for variant in &it.variants {
                    found.extend(doc(&variant.attrs));
                    found.extend(variant.fields.iter().filter_map(|field| doc(&field.attrs)));
                }
            }
            _ => {}
        }
    }
}

/// Whether a file is one of the host's sources, and none of its tests. The demo server is a made-up
/// business: its words are in components that are committed.
fn is_source(path: &Path) -> bool {
    let name = in_repository(path);
    let is_test = ["/tests/", "/tests.rs", "/testing"];
    name.starts_with("host/")
        && !name.starts_with("host/command/demo/")
        && name.contains("/src/")
        && !is_test.iter().any(|part| name.contains(part))
}

#[test]
fn messages_are_plain() {
    let (mut wrong, mut count_messages, mut count_docs) = (Vec::new(), 0, 0);
    for path in sources().into_iter().filter(|path| is_source(path)) {
        let source = read(&path);
        let (mut said, mut docs) = (Vec::new(), Vec::new());
        messages(source.parse().expect("a source in Rust"), &mut said);
        shown_docs(
            &syn::parse_file(&source).expect("a source").items,
            &mut docs,
        );
        count_messages += said.len();
        count_docs += docs.len();
        let place = in_repository(&path);
        for text in said.iter().chain(&docs) {
            for fault in faults(text) {
                wrong.push(format!("{place}: {fault}: {text}"));
            }
        }
    }
    assert!(
        count_messages > LEAST_MESSAGES && count_docs > LEAST_DOCS,
        "{count_messages} messages, {count_docs} docs"
    );
    assert!(
        wrong.is_empty(),
        "{} places:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Most of it is said by the guests, whose messages are read here as models get them.
#[test]
fn what_models_read_of_their_mistakes_is_plain() {
    for file in ["typescript.md", "python.md"] {
        let text = read(&repository().join("tests/mistakes").join(file));
        let lines = text.lines().enumerate();
        let lines = lines.flat_map(|(index, line)| {
            let faults = faults(line).into_iter();
            faults.map(move |fault| format!("{file}:{}: {fault}", index + 1))
        });
        let wrong: Vec<_> = lines.collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[test]
fn declarations_that_people_read_are_plain() {
    let (mut wrong, mut files) = (Vec::new(), 0);
    let mut folders = vec![repository().join("host")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let (path, name) = (entry.path(), entry.file_name());
            let name = name.to_string_lossy();
            if path.is_dir() && !["target", "node_modules"].contains(&&*name) {
                folders.push(path);
            } else if FILES.iter().any(|ending| name.ends_with(ending)) {
                files += 1;
                for (index, line) in read(&path).lines().enumerate() {
                    let faults = faults(line).into_iter();
                    let place = format!("{}:{}", in_repository(&path), index + 1);
                    wrong.extend(faults.map(|fault| format!("{place}: {fault}")));
                }
            }
        }
    }
    assert!(files >= 8, "{files}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn messages_are_found_wherever_they_stand() {
    let source = r##"
        /// It is no doc that is shown.
        #[derive(Debug, thiserror::Error)]
        enum Wrong { #[error("`{0}` is no list")] List(String) }
        /// It is no help.
        #[derive(clap::Args)]
        struct Help { /** a field */ #[arg(help = "one")] field: u8 }
        fn say() { bail!("two {}", format!(r"three {}", b"no text")) }
        mod inner { #[derive(JsonSchema)] enum Kind { /** a kind */ One } }
        #[cfg(test)]
        mod tests { const TEST: &str = "is no message"; }
        #[test]
        fn test() { "is no message"; }
        const LAST: &str = "four";
    "##;
    let (mut said, mut docs) = (Vec::new(), Vec::new());
    messages(source.parse().expect("a source"), &mut said);
    shown_docs(&syn::parse_file(source).expect("a source").items, &mut docs);
    assert_eq!(
        said,
        ["`{0}` is no list", "one", "two {}", "three {}", "four"]
    );
    assert_eq!(docs, ["It is no help.", "a field", "a kind"]);
    assert_eq!(faults(&said[0]), ["`is no`: write is not a, has no"]);
    assert!(faults("`is no` is no longer there: there is no list").is_empty());
}
