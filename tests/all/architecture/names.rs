//! The paths that a source file names.

use std::path::PathBuf;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A source file of a crate, without its unit tests.
pub(super) struct Source {
    pub(super) path: PathBuf,
    pub(super) names: Vec<Name>,
}

/// A path that a source file has.
pub(super) struct Name {
    pub(super) segments: Vec<String>,
    /// What the file calls it from there on, where it is one of a `use`.
    pub(super) alias: Option<String>,
}

/// What counts in a source file: words, and the signs that paths are made of.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    /// `::`
    Separator,
    Sign(char),
}

impl Source {
    pub(super) fn new(path: PathBuf, text: &str) -> Self {
        let tokens = tokens(text);
        let mut names = Vec::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let before = at.checked_sub(1).map(|before| &tokens[before]);
            let is_used = before == Some(&Token::Word("use".to_owned()));
            let begins_a_path = matches!(token, Token::Word(_))
                && tokens.get(at + 1) == Some(&Token::Separator)
                && !matches!(before, Some(Token::Separator | Token::Sign('$' | '.')));
            at = match begins_a_path {
                true => names_in(&tokens, at, &[], is_used, &mut names),
                false => at + 1,
            };
        }
        Self { path, names }
    }
}

/// Takes the paths of a `use`, or of an expression or a type, from here on. Returns where they end.
fn names_in(
    tokens: &[Token],
    mut at: usize,
    prefix: &[String],
    is_used: bool,
    names: &mut Vec<Name>,
) -> usize {
    let mut segments = prefix.to_vec();
    loop {
        match tokens.get(at) {
            Some(Token::Word(word)) => {
                if word != "self" || segments.is_empty() {
                    segments.push(word.clone());
                }
                at += 1;
            }
            Some(Token::Sign('{')) if is_used => {
                at += 1;
                while !matches!(tokens.get(at), None | Some(Token::Sign('}'))) {
                    at = match tokens[at] {
                        Token::Sign(',') => at + 1,
                        _ => names_in(tokens, at, &segments, is_used, names),
                    };
                }
                return at + 1;
            }
            _ => {
                // All of it, or what has type arguments.
                names.push(Name {
                    segments,
                    alias: None,
                });
                return at + 1;
            }
        }
        if tokens.get(at) != Some(&Token::Separator) {
            break;
        }
        at += 1;
    }
    let mut alias = segments.last().cloned();
    if let (Some(Token::Word(word)), Some(Token::Word(other))) =
        (tokens.get(at), tokens.get(at + 1))
        && is_used
        && word == "as"
    {
        alias = Some(other.clone());
        at += 2;
    }
    names.push(Name {
        segments,
        alias: alias.filter(|_| is_used),
    });
    at
}

/// The words and signs of a source text, without the items that only tests have.
fn tokens(text: &str) -> Vec<Token> {
    let stream: TokenStream = text.parse().expect("a source in Rust");
    let mut found = Vec::new();
    flatten(stream, &mut found);
    found
}

fn flatten(stream: TokenStream, found: &mut Vec<Token>) {
    let mut trees = stream.into_iter().peekable();
    while let Some(tree) = trees.next() {
        match tree {
            TokenTree::Ident(word) => found.push(Token::Word(word.to_string())),
            TokenTree::Literal(_) => {}
            TokenTree::Punct(sign)
                if sign.as_char() == '#' && trees.next_if(is_for_tests).is_some() =>
            {
                // Up to its end: a semicolon, or what is in braces.
                trees.by_ref().find(ends_an_item);
            }
            TokenTree::Punct(sign) => {
                let is_colon = |tree: &TokenTree| matches!(tree, TokenTree::Punct(sign) if sign.as_char() == ':');
                let is_separator = sign.as_char() == ':' && trees.next_if(is_colon).is_some();
                found.push(match is_separator {
                    true => Token::Separator,
                    false => Token::Sign(sign.as_char()),
                });
            }
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Brace => ('{', '}'),
                    Delimiter::Bracket => ('[', ']'),
                    Delimiter::Parenthesis | Delimiter::None => ('(', ')'),
                };
                found.push(Token::Sign(open));
                flatten(group.stream(), found);
                found.push(Token::Sign(close));
            }
        }
    }
}

/// Whether an attribute, without its sign, says that an item is for tests alone.
fn is_for_tests(attribute: &TokenTree) -> bool {
    matches!(attribute, TokenTree::Group(group) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

fn ends_an_item(tree: &TokenTree) -> bool {
    match tree {
        TokenTree::Punct(sign) => sign.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    }
}
