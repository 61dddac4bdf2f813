//! What becomes of hostile words in Rust: the crate that Ampoule writes, and the code that
//! wit-bindgen makes of its WIT, as syn reads them.

use std::path::PathBuf;

use ampoule_tests::command::Workplace;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Ident, Item};

use super::{assert_same_shapes, generated, harmless_tools, hostile_tools};
use crate::rust_crate::{checked_in, complaints_with};

#[tokio::test]
async fn the_code_of_wit_bindgen_compiles_and_is_that_of_harmless_words() {
    let mut shapes = Vec::new();
    for tools in [hostile_tools(), harmless_tools()] {
        let workplace = generated(&tools, "rust").await;
        shapes.push(shape(&bindings(&workplace).await));
    }
    let harmless = shapes.pop().expect("two");
    assert_same_shapes(shapes.pop().expect("two"), harmless);
}

/// The code that wit-bindgen makes in a crate that compiles. It writes a copy of it where that is
/// asked for, as people do who look for a fault in it.
async fn bindings(workplace: &Workplace) -> String {
    let said = complaints_with(workplace, &[("WIT_BINDGEN_DEBUG", "1")]).await;
    assert_eq!(said, "");
    let crates = std::fs::read_dir(checked_in().join("debug/build")).expect("a folder");
    let copies: Vec<PathBuf> = crates
        .flatten()
        .map(|built| built.path().join("out/program0.rs"))
        .filter(|copy| copy.exists())
        .collect();
    let [copy] = &copies[..] else {
        panic!("one copy is expected: {copies:?}");
    };
    let code = std::fs::read_to_string(copy).expect("text");
    // It must not be taken for the next crate's.
    std::fs::remove_file(copy).expect("it was there");
    code
}

/// What code is made of, a line for each item within as many modules: keywords and signs, without
/// names, values and docs.
fn shape(code: &str) -> Vec<String> {
    let file = syn::parse_file(code).unwrap_or_else(|error| panic!("{error}: {code}"));
    let mut lines: Vec<String> = file.attrs.iter().map(|order| written(order, 0)).collect();
    add_items(file.items, 0, &mut lines);
    lines
}

fn add_items(items: Vec<Item>, depth: usize, lines: &mut Vec<String>) {
    for item in items {
        match item {
            Item::Mod(mut module) => {
                let (_, inside) = module.content.take().unwrap_or_default();
                lines.push(written(&module, depth));
                add_items(inside, depth + 1, lines);
            }
            item => lines.push(written(&item, depth)),
        }
    }
}

fn written(part: &impl ToTokens, depth: usize) -> String {
    format!("{depth} {}", signs(part.to_token_stream()))
}

/// What wit-bindgen makes was formatted: in long lines, a list has a comma at its end, and what
/// follows `=>` has braces. Those are left out.
fn signs(tokens: TokenStream) -> String {
    let mut signs: Vec<String> = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if is_sign(&token, '#') && tokens.next_if(is_docs).is_some() {
            continue;
        }
        match token {
            TokenTree::Group(group) => {
                let inside = self::signs(group.stream());
                let (open, close) = brackets(group.delimiter());
                if open == "{" && signs.ends_with(&["=".to_owned(), ">".to_owned()]) {
                    signs.push(inside);
                    tokens.next_if(|next| is_sign(next, ','));
                    signs.push(",".to_owned());
                } else {
                    signs.push(format!("{open}{}{close}", inside.trim_end_matches(" ,")));
                }
            }
            TokenTree::Ident(word) => {
                let word = word.to_string();
                let is_name = syn::parse_str::<Ident>(&word).is_ok();
                signs.push(if is_name { "name".to_owned() } else { word });
            }
            TokenTree::Punct(sign) => {
                signs.pop_if(|last| sign.as_char() == '>' && last == ",");
                signs.push(sign.to_string());
            }
            TokenTree::Literal(_) => signs.push("value".to_owned()),
        }
    }
    signs.join(" ")
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(found) if found.as_char() == sign)
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// Whether this is what follows `#` where an item has docs: nothing but a text is in them.
fn is_docs(token: &TokenTree) -> bool {
    let TokenTree::Group(group) = token else {
        return false;
    };
    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
    matches!(&inside[..], [TokenTree::Ident(word), TokenTree::Punct(_), TokenTree::Literal(_)] if word == "doc")
}
