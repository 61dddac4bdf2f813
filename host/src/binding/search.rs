//! Search over the tools of bindings.
//!
//! Tools are ranked by BM25 over what is said about them, in which names weigh most. Words are compared without case and endings; a word that no tool has
//! stands for those that start with it, or else for those that are spelt almost like it.

use std::collections::BTreeSet;
use std::ops::Bound;

use bm25::{Embedder, EmbedderBuilder, Scorer, Tokenizer};
use serde_json::Value;

use crate::projection::Tool;
use crate::projection::names::{canonical, words};

/// How much of one description is read, in bytes. Some servers send whole manuals.
const MAX_DESCRIPTION: usize = 4_096;

/// How many parameters of one tool are read.
const MAX_PARAMETERS: usize = 128;

/// How much of one tool is indexed, in bytes; its names come first.
const MAX_TEXT: usize = 32 * 1024;

/// How much of a query is read, in characters.
const MAX_QUERY: usize = 512;

/// How often a word counts that is in the tool's name, in the server's, and in the tool's title or the name of a parameter.
const WEIGHTS: Weights = Weights {
    tool: 5,
    server: 3,
    label: 2,
};

struct Weights {
    tool: usize,
    server: usize,
    label: usize,
}

/// How many words of the index one word of a query may stand for.
const MAX_EXPANSIONS: usize = 8;

/// An index over tools. It does not change: when tools do, another is made.
pub struct Index {
    tools: Vec<Names>,
    embedder: Embedder<u64, Words>,
    scorer: Scorer<usize, u64>,
    vocabulary: BTreeSet<String>,
}

/// What a tool may be asked for by name.
struct Names {
    tool: String,
    full: String,
}

/// A tool that fits a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The tool's place in the order in which the index was given the tools.
    pub index: usize,
    /// How well it fits; 0 where everything is listed. To be compared within one search alone.
    pub score: f32,
}

impl Index {
    /// An index over tools, each with its binding's name.
    pub fn new<'a>(tools: impl IntoIterator<Item = (&'a str, &'a Tool)>) -> Self {
        let (names, texts): (Vec<_>, Vec<_>) = tools
            .into_iter()
            .map(|(binding, tool)| (Names::of(binding, tool), text(binding, tool)))
            .unzip();
        let tokens: Vec<Vec<String>> = texts.iter().map(|text| Words.tokenize(text)).collect();
        let count: usize = tokens.iter().map(Vec::len).sum();
        let average = count as f32 / texts.len().max(1) as f32;
        let embedder = EmbedderBuilder::<u64, Words>::with_avgdl(average).build();
        let mut scorer = Scorer::new();
        for (index, text) in texts.iter().enumerate() {
            scorer.upsert(&index, embedder.embed(text));
        }
        Self {
            tools: names,
            embedder,
            scorer,
            vocabulary: tokens.into_iter().flatten().collect(),
        }
    }

    /// The tools that fit `query`, the best first and equals in the index's order; at most `limit`.
    ///
    /// A query without words lists all tools.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        let query: String = query.chars().take(MAX_QUERY).collect();
        let asked = Words.tokenize(&query);
        if asked.is_empty() {
            return (0..self.tools.len())
                .take(limit)
                .map(|index| Hit { index, score: 0.0 })
                .collect();
        }
        let meant: BTreeSet<&str> = asked.iter().flat_map(|word| self.meant_by(word)).collect();
        let meant: Vec<&str> = meant.into_iter().collect();
        let name = canonical(&query);
        let mut hits: Vec<Hit> = self
            .scorer
            .matches(&self.embedder.embed(&meant.join(" ")))
            .into_iter()
            .map(|found| Hit {
                index: found.id,
                score: found.score + self.tools[found.id].bonus(&name),
            })
            .collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        hits.truncate(limit);
        hits
    }

    /// The words of the index that a word of a query stands for.
    fn meant_by<'a>(&'a self, word: &'a str) -> Vec<&'a str> {
        if self.vocabulary.contains(word) {
            return vec![word];
        }
        let longer = self
            .vocabulary
            .range::<str, _>((Bound::Included(word), Bound::Unbounded))
            .take_while(|known| known.starts_with(word));
        let longer: Vec<&str> = longer.take(MAX_EXPANSIONS).map(String::as_str).collect();
        if !longer.is_empty() && word.chars().count() >= 2 {
            return longer;
        }
        let mistakes = match word.chars().count() {
            0..=3 => return Vec::new(),
            4..=7 => 1,
            _ => 2,
        };
        let spelt_alike = |known: &&str| {
            known.len().abs_diff(word.len()) <= mistakes
                && strsim::osa_distance(known, word) <= mistakes
        };
        self.vocabulary
            .iter()
            .map(String::as_str)
            .filter(spelt_alike)
            .take(MAX_EXPANSIONS)
            .collect()
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("tools", &self.tools.len())
            .field("words", &self.vocabulary.len())
            .finish_non_exhaustive()
    }
}

impl Names {
    fn of(binding: &str, tool: &Tool) -> Self {
        let tool = canonical(&tool.name);
        Self {
            full: canonical(binding) + &tool,
            tool,
        }
    }

    /// What a tool is worth more if the query is its name.
    fn bonus(&self, query: &str) -> f32 {
        if query == self.full || query == self.tool {
            1_000.0
        } else {
            0.0
        }
    }
}

/// What is said about a tool, each part as often as it counts.
fn text(binding: &str, tool: &Tool) -> String {
    let mut text = String::new();
    let mut add = |part: &str, times: usize| {
        for _ in 0..times {
            let room = MAX_TEXT.saturating_sub(text.len());
            text.push_str(&part[..part.floor_char_boundary(room)]);
            text.push('\n');
        }
    };
    add(&tool.name, WEIGHTS.tool);
    add(binding, WEIGHTS.server);
    add(tool.title.as_deref().unwrap_or_default(), WEIGHTS.label);
    add(cut(tool.description.as_deref().unwrap_or_default()), 1);
    let parameters = tool
        .input_schema
        .get("properties")
        .and_then(Value::as_object);
    for (name, schema) in parameters.into_iter().flatten().take(MAX_PARAMETERS) {
        add(name, WEIGHTS.label);
        add(
            cut(schema
                .get("description")
                .and_then(Value::as_str)
                .unwrap_or_default()),
            1,
        );
    }
    text
}

fn cut(description: &str) -> &str {
    &description[..description.floor_char_boundary(MAX_DESCRIPTION)]
}

/// Splits text into words as names are split, in small letters and without endings.
#[derive(Debug, Default)]
struct Words;

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        let all: Vec<String> = text
            .split_whitespace()
            .flat_map(words)
            .map(|word| stem(&word))
            .collect();
        let telling: Vec<String> = all
            .iter()
            .filter(|word| !STOP_WORDS.contains(&word.as_str()))
            .cloned()
            .collect();
        // Who asks for nothing but such words means them.
        if telling.is_empty() { all } else { telling }
    }
}

/// Words that tell nothing about a tool, as [`stem`] leaves them.
const STOP_WORDS: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in",
    "is", "it", "me", "my", "of", "on", "or", "that", "the", "this", "to", "what", "which", "with",
    "you", "your",
];

/// A word without the endings of English plurals and verbs, so that `listing`, `lists` and `list` are one. Not a root that a dictionary would have.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let singular = match word {
        _ if word.ends_with("ies") && word.len() > 4 => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("sses") => word[..word.len() - 2].to_owned(),
        _ if word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end)) => {
            word[..word.len() - 1].to_owned()
        }
        _ => word.to_owned(),
    };
    let bare = ["ing", "ed"]
        .iter()
        .find_map(|end| singular.strip_suffix(end).filter(|bare| bare.len() >= 4));
    let bare = bare.unwrap_or(&singular);
    let bytes = bare.as_bytes();
    let doubled = bare.len() < singular.len()
        && bytes.len() >= 2
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !bare.ends_with(['l', 's']);
    let bare = if doubled {
        &bare[..bare.len() - 1]
    } else {
        bare
    };
    let bare = if bare.len() > 4 {
        bare.strip_suffix('e').unwrap_or(bare)
    } else {
        bare
    };
    bare.to_owned()
}

#[cfg(test)]
mod tests;
