//! Search over the tools of bindings.
//!
//! Tools are ranked by BM25 over what is said about them, in which names weigh most. Words are compared without case and endings; a word that no tool has
//! stands for those that start with it, or otherwise for those that are spelt almost like it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Bound;

use ampoule_effort::{self as effort, BrokenOff, Effort};
use ampoule_projection::Tool;
use ampoule_projection::names::{canonical, words};
use serde_json::Value;

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

/// How many words of a query are looked for.
const MAX_WORDS: usize = 64;

/// How many words of the index one word of a query may stand for.
const MAX_EXPANSIONS: usize = 8;

/// How much is done in one search to find what misspelt words mean, in units of fuel: some ten milliseconds. It is enough for the words of some thousand tools.
const MAX_GUESSING: u64 = 40_000_000;

/// How soon a repeated word stops counting, and how much less it counts in a long text: BM25's usual parameters.
const SATURATION: f32 = 1.2;
const LENGTH_MATTERS: f32 = 0.75;

/// An index over tools. It does not change: when tools do, another is made.
pub struct Index {
    tools: Vec<Names>,
    /// Every word that is said about tools, with the tools that it is said about.
    words: BTreeMap<String, Vec<Mention>>,
}

/// That a word is said about a tool.
struct Mention {
    tool: usize,
    /// How much that counts, by BM25.
    weight: f32,
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
    /// How well it fits; 0 where everything is listed. To be compared only within one search.
    pub score: f32,
}

impl Index {
    /// An index over tools, each with its binding's name.
    pub fn new<'a>(tools: impl IntoIterator<Item = (&'a str, &'a Tool)>) -> Self {
        let (names, said): (Vec<_>, Vec<_>) = tools
            .into_iter()
            .map(|(binding, tool)| (Names::of(binding, tool), tokens(&text(binding, tool))))
            .unzip();
        let count: usize = said.iter().map(Vec::len).sum();
        let average = (count as f32 / said.len().max(1) as f32).max(1.0);
        let mut words: BTreeMap<String, Vec<Mention>> = BTreeMap::new();
        for (tool, said) in said.into_iter().enumerate() {
            let length = 1.0 - LENGTH_MATTERS + LENGTH_MATTERS * said.len() as f32 / average;
            let mut often: HashMap<String, f32> = HashMap::new();
            for word in said {
                *often.entry(word).or_default() += 1.0;
            }
            for (word, often) in often {
                let weight = often * (SATURATION + 1.0) / (often + SATURATION * length);
                words
                    .entry(word)
                    .or_default()
                    .push(Mention { tool, weight });
            }
        }
        Self {
            tools: names,
            words,
        }
    }

    /// The tools that fit `query`, the best first and equals in the index's order; at most `limit`.
    ///
    /// A query without words lists all tools.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.find(query, limit, &Effort::default())
            .unwrap_or_default()
    }

    /// The same, paid for.
    pub(super) fn find(
        &self,
        query: &str,
        limit: usize,
        effort: &Effort,
    ) -> Result<Vec<Hit>, BrokenOff> {
        let query: String = query.chars().take(MAX_QUERY).collect();
        effort.spend(effort::BYTE * query.len() as u64)?;
        let asked: BTreeSet<String> = tokens(&query).into_iter().take(MAX_WORDS).collect();
        if asked.is_empty() {
            let all = (0..self.tools.len()).take(limit);
            return Ok(all.map(|index| Hit { index, score: 0.0 }).collect());
        }
        let mut guessing = MAX_GUESSING;
        let mut meant: BTreeMap<&str, &[Mention]> = BTreeMap::new();
        for word in &asked {
            meant.extend(self.meant_by(word, &mut guessing, effort)?);
        }
        let mut scores: HashMap<usize, f32> = HashMap::new();
        for mentions in meant.into_values() {
            effort.spend(effort::ITEM * mentions.len() as u64)?;
            let rarity = self.rarity(mentions.len());
            for Mention { tool, weight } in mentions {
                *scores.entry(*tool).or_default() += rarity * weight;
            }
        }
        effort.spend(effort::ITEM * scores.len() as u64)?;
        let name = canonical(&query);
        let hits = scores.into_iter().map(|(index, score)| Hit {
            index,
            score: score + self.tools[index].bonus(&name),
        });
        let mut hits: Vec<Hit> = hits.collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        hits.truncate(limit);
        Ok(hits)
    }

    /// How much a word tells that so many tools have: BM25's inverse document frequency.
    fn rarity(&self, mentions: usize) -> f32 {
        let (all, with) = (self.tools.len() as f32, mentions as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The words of the index that a word of a query stands for.
    fn meant_by(
        &self,
        word: &str,
        guessing: &mut u64,
        effort: &Effort,
    ) -> Result<Vec<(&str, &[Mention])>, BrokenOff> {
        effort.spend(effort::ITEM)?;
        if let Some((word, mentions)) = self.words.get_key_value(word) {
            return Ok(vec![(word, mentions)]);
        }
        let longer = self
            .from(word)
            .take_while(|(known, _)| known.starts_with(word));
        let longer: Vec<_> = longer.take(MAX_EXPANSIONS).collect();
        if !longer.is_empty() && word.chars().count() >= 2 {
            return Ok(longer);
        }
        self.spelt_alike(word, guessing, effort)
    }

    /// The words of the index from this one on, in alphabetical order.
    fn from<'a>(&'a self, word: &str) -> impl Iterator<Item = (&'a str, &'a [Mention])> {
        let range = self
            .words
            .range::<str, _>((Bound::Included(word), Bound::Unbounded));
        range.map(|(word, mentions)| (word.as_str(), mentions.as_slice()))
    }

    /// The words of the index that are spelt almost like this one, as far as there is time to compare: those that begin with its letter first, since that
    /// one is mostly right.
    fn spelt_alike(
        &self,
        word: &str,
        guessing: &mut u64,
        effort: &Effort,
    ) -> Result<Vec<(&str, &[Mention])>, BrokenOff> {
        let mistakes = match word.chars().count() {
            0..=3 => return Ok(Vec::new()),
            4..=7 => 1,
            _ => 2,
        };
        let letter = &word[..word.chars().next().map_or(0, char::len_utf8)];
        let same = self
            .from(letter)
            .take_while(|(known, _)| known.starts_with(letter));
        let other = self
            .from("")
            .filter(|(known, _)| !known.starts_with(letter));
        let mut alike = Vec::new();
        for (known, mentions) in same.chain(other) {
            let comparable = known.len().abs_diff(word.len()) <= mistakes;
            let price = match comparable {
                true => effort::LETTERS * (known.len() * word.len()) as u64,
                false => LOOK,
            };
            if price > *guessing || alike.len() == MAX_EXPANSIONS {
                break;
            }
            *guessing -= price;
            effort.spend(price)?;
            if comparable && strsim::osa_distance(known, word) <= mistakes {
                alike.push((known, mentions));
            }
        }
        Ok(alike)
    }
}

/// What it costs to see that a word is too long or too short, in units of fuel.
const LOOK: u64 = 32;

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index")
            .field("tools", &self.tools.len())
            .field("words", &self.words.len())
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

    /// How much more a tool is worth if the query is its name.
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

/// A text's words as names are split, in lower case and without endings.
fn tokens(text: &str) -> Vec<String> {
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

/// Words that say nothing about a tool, as [`stem`] leaves them.
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
