//! Patterns of the operator's own.

use std::sync::Arc;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Input, Span};

use crate::finding::Finding;
use crate::kind::Kind;
use crate::settings::Settings;

/// How many there may be.
pub(crate) const MOST: usize = 64;
/// How long each may be, in bytes.
const LONGEST: usize = 1000;
/// How large what they are compiled to may be, in bytes, together.
const SIZE: usize = 4 << 20;
/// What is searched at once, in bytes. Where a pattern makes a search look far ahead of each match,
/// this is how far that can be.
const PIECE: usize = 1024;
/// By how much pieces overlap: longer matches may be missed where a piece ends.
const OVERLAP: usize = 256;

/// Why a pattern can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PatternError {
    /// Its name is none.
    #[error(
        "`{0}` is not a name for a pattern: a name has lower-case letters, digits and `-`, at most 32 of them, begins with a letter, and is neither `literal` nor a built-in kind"
    )]
    Name(String),
    /// It is none.
    #[error("the pattern `{name}` can't be read: {why}")]
    Pattern {
        /// Which one.
        name: String,
        /// Why not, with its place.
        why: String,
    },
    /// It matches what is not there.
    #[error("the pattern `{0}` matches an empty text, which is everywhere")]
    Empty(String),
    /// There are too many.
    #[error("there are {0} patterns, at most {MOST} can be used")]
    Many(usize),
    /// No kind has that name.
    #[error("there is no kind `{0}`: the kinds are {known}, and the names of patterns", known = Kind::BUILT_IN.join(", "))]
    Kind(String),
}

/// The operator's patterns, compiled together.
#[derive(Debug)]
pub(crate) struct Patterns {
    names: Vec<Arc<str>>,
    search: Regex,
}

impl Patterns {
    /// Those of the settings; none if there are none.
    pub(crate) fn of(
        settings: &Settings,
        on: impl Fn(&str) -> bool,
    ) -> Result<Option<Self>, PatternError> {
        if settings.patterns.len() > MOST {
            return Err(PatternError::Many(settings.patterns.len()));
        }
        for (name, pattern) in &settings.patterns {
            check(name, pattern)?;
        }
        let used = || settings.patterns.iter().filter(|(name, _)| on(name));
        if used().next().is_none() {
            return Ok(None);
        }
        let patterns: Vec<&String> = used().map(|(_, pattern)| pattern).collect();
        let search = build(&patterns).map_err(|why| PatternError::Pattern {
            name: used()
                .map(|(name, _)| &**name)
                .collect::<Vec<_>>()
                .join(", "),
            why,
        })?;
        let names = used().map(|(name, _)| Arc::from(&**name)).collect();
        Ok(Some(Self { names, search }))
    }

    /// What they find in a text.
    pub(crate) fn find(&self, text: &str, found: &mut Vec<Finding>) {
        let mut from = 0;
        while from < text.len() {
            let end = boundary(text, from + PIECE);
            let mut at = from;
            let mut next = end;
            let piece = |at| Input::new(text).span(Span { start: at, end });
            while let Some(hit) = self.search.search(&piece(at)) {
                // What reaches the end of a piece may go on: the next piece has it whole.
                if end < text.len() && hit.end() == end && hit.start() > from {
                    next = hit.start();
                    break;
                }
                // An assertion alone matches nothing, and must not stop the search.
                at = boundary(text, hit.end().max(hit.start() + 1));
                if !hit.is_empty() {
                    let name = Arc::clone(&self.names[hit.pattern().as_usize()]);
                    found.push(Finding::plain(Kind::Patterns(name), hit.range()));
                }
                if at >= end {
                    break;
                }
            }
            if end == text.len() {
                break;
            }
            // What was matched is not looked at again.
            let overlap = boundary(text, end - OVERLAP);
            from = next.min(overlap).max(at).max(from + 1);
            from = boundary(text, from);
        }
    }
}

fn check(name: &str, pattern: &str) -> Result<(), PatternError> {
    let is_name = crate::token::is_name(name.as_bytes());
    let taken = name == crate::token::LITERAL || Kind::BUILT_IN.contains(&name);
    if !is_name || taken || name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err(PatternError::Name(name.to_owned()));
    }
    let bad = |why: String| PatternError::Pattern {
        name: name.to_owned(),
        why,
    };
    if pattern.len() > LONGEST {
        return Err(bad(format!(
            "it has {} bytes, at most {LONGEST} are read",
            pattern.len()
        )));
    }
    // `regex` says where in a pattern the mistake is.
    let read = regex::RegexBuilder::new(pattern).size_limit(SIZE).build();
    let read = read.map_err(|why| bad(why.to_string()))?;
    match read.is_match("") {
        true => Err(PatternError::Empty(name.to_owned())),
        false => Ok(()),
    }
}

fn build(patterns: &[&String]) -> Result<Regex, String> {
    let config = Regex::config()
        .nfa_size_limit(Some(SIZE))
        .hybrid_cache_capacity(SIZE);
    let built = Regex::builder()
        .configure(config)
        .syntax(syntax::Config::new())
        .build_many(patterns);
    built.map_err(|why| why.to_string())
}

/// The first boundary of characters that is not before.
fn boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
