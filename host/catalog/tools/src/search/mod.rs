//! Search over the tools of bindings.
//!
//! Tools are ranked by BM25 over what is said about them, in which names weigh most. Words are
//! compared without case and endings. One stands for those that mean the same where tools are
//! spoken of, too; one that no tool has, for those that start with it, or otherwise for those that
//! are spelt almost like it.
//!
//! - `words`: the words of a text; `text`: those that are said about a tool; `synonyms`: what else
//!   they may mean

mod synonyms;
mod text;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;

use ampoule_effort::{self as effort, Effort, EffortError, breathe};
use ampoule_projection::Tool;
use ampoule_projection::names::canonical;

use self::text::{Lengths, ToolText};
use self::words::tokens;

/// How much of a query is read, in characters.
const MAX_QUERY: usize = 512;

/// How many words of a query are looked for.
const MAX_WORDS: usize = 64;

/// How many words of the index one word of a query may stand for.
const MAX_EXPANSIONS: usize = 8;

/// How much is done in one search to find what misspelt words mean, in units of fuel: some ten
/// milliseconds. It is enough for the words of some thousand tools.
const MAX_GUESSING: u64 = 40_000_000;

/// How soon a repeated word stops counting: BM25's usual parameter.
const SATURATION: f32 = 1.2;

/// How much a word counts that only begins like the one that was asked for, or is spelt like it.
const ALIKE: f32 = 0.8;

/// How much of a tool's score it keeps although none of the words that tell most is said about it,
/// and how much it gains if the words of its name are all asked for. Found by trying them, as were
/// the parts' weights.
const UNCOVERED: f32 = 0.3;
const NAMED: f32 = 0.45;

/// What a tool's score gains if the query is its name.
const BY_NAME: f32 = 1_000.0;

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

/// A word of the index that was meant, with what it is said about, and how much it counts.
type Meant<'a> = (&'a str, &'a [Mention], f32);

/// What a tool may be asked for by name.
struct Names {
    tool: String,
    full: String,
    /// The words of its name, those of the server's left out, and those of the server's.
    words: HashSet<String>,
    server: HashSet<String>,
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
            .map(|(binding, tool)| {
                breathe(INDEXED);
                let said = ToolText::about(binding, tool);
                (Names::of(binding, tool, &said), said)
            })
            .unzip();
        let usual = Lengths::of(&said);
        let mut words: BTreeMap<String, Vec<Mention>> = BTreeMap::new();
        for (tool, said) in said.iter().enumerate() {
            breathe(INDEXED);
            for (word, often) in said.counted(&usual) {
                let weight = often * (SATURATION + 1.0) / (often + SATURATION);
                let mention = Mention { tool, weight };
                match words.get_mut(word) {
                    Some(mentions) => mentions.push(mention),
                    None => drop(words.insert(word.to_owned(), vec![mention])),
                }
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
    ) -> Result<Vec<Hit>, EffortError> {
        let query: String = query.chars().take(MAX_QUERY).collect();
        effort.spend(effort::BYTE * query.len() as u64)?;
        let asked = self.asked(&query);
        if asked.is_empty() {
            let all = (0..self.tools.len()).take(limit);
            return Ok(all.map(|index| Hit { index, score: 0.0 }).collect());
        }
        let mut guessing = MAX_GUESSING;
        let mut scores: HashMap<usize, f32> = HashMap::new();
        let mut covered: HashMap<usize, f32> = HashMap::new();
        let mut meant: HashSet<&str> = HashSet::new();
        let mut most = 0.0;
        for word in &asked {
            let (mut best, mut telling): (HashMap<usize, f32>, f32) = (HashMap::new(), 0.0);
            for (word, mentions, counts) in self.meant_by(word, &mut guessing, effort)? {
                meant.insert(word);
                effort.spend(effort::ITEM * mentions.len() as u64)?;
                let tells = counts * self.rarity(mentions.len());
                telling = telling.max(tells);
                for Mention { tool, weight } in mentions {
                    let score = best.entry(*tool).or_default();
                    *score = score.max(tells * weight);
                }
            }
            most += telling;
            for (tool, score) in best {
                *scores.entry(tool).or_default() += score;
                *covered.entry(tool).or_default() += score.min(telling);
            }
        }
        effort.spend(effort::ITEM * scores.len() as u64)?;
        let (name, asked): (_, HashSet<&str>) = (
            canonical(&query),
            asked.iter().map(String::as_str).collect(),
        );
        let hits = scores.into_iter().map(|(index, score)| {
            let names = &self.tools[index];
            let covered = UNCOVERED + (1.0 - UNCOVERED) * covered[&index] / most;
            let named =
                1.0 + NAMED * names.share_of(|word| asked.contains(word) || meant.contains(word));
            let by_name = if names.are_asked_for(&name, &asked) {
                BY_NAME
            } else {
                0.0
            };
            Hit {
                index,
                score: score * covered * named + by_name,
            }
        });
        let mut hits: Vec<Hit> = hits.collect();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.index.cmp(&b.index)));
        hits.truncate(limit);
        Ok(hits)
    }

    /// The words of a query, each once, and two that are said as one: `local storage` of
    /// `localstorage`.
    fn asked(&self, query: &str) -> Vec<String> {
        let words = tokens(query);
        let joined = words.windows(2).map(|two| two.concat());
        let known: Vec<String> = joined
            .filter(|word| self.words.contains_key(word))
            .collect();
        let mut once = HashSet::new();
        let all = words.into_iter().chain(known);
        all.filter(|word| once.insert(word.clone()))
            .take(MAX_WORDS)
            .collect()
    }

    /// How much a word tells that so many tools have: BM25's inverse document frequency.
    fn rarity(&self, mentions: usize) -> f32 {
        let (all, with) = (self.tools.len() as f32, mentions as f32);
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln()
    }

    /// The words of the index that a word of a query stands for, and how much each of them counts.
    fn meant_by(
        &self,
        word: &str,
        guessing: &mut u64,
        effort: &Effort,
    ) -> Result<Vec<Meant<'_>>, EffortError> {
        let synonyms = synonyms::of(word);
        effort.spend(effort::ITEM * (1 + synonyms.len() as u64))?;
        let itself = std::iter::once((word, 1.0));
        let others = synonyms
            .iter()
            .map(|(word, counts)| (word.as_str(), *counts));
        let known = itself.chain(others).filter_map(|(word, counts)| {
            let (word, mentions) = self.words.get_key_value(word)?;
            Some((word.as_str(), mentions.as_slice(), counts))
        });
        let known: Vec<_> = known.collect();
        if !known.is_empty() {
            return Ok(known);
        }
        let longer = self
            .from(word)
            .take_while(|(known, _)| known.starts_with(word));
        let longer: Vec<_> = longer.take(MAX_EXPANSIONS).collect();
        let alike = match !longer.is_empty() && word.chars().count() >= 2 {
            true => longer,
            false => self.spelt_alike(word, guessing, effort)?,
        };
        let alike = alike
            .into_iter()
            .map(|(word, mentions)| (word, mentions, ALIKE));
        Ok(alike.collect())
    }

    /// The words of the index from this one on, in alphabetical order.
    fn from<'a>(&'a self, word: &str) -> impl Iterator<Item = (&'a str, &'a [Mention])> {
        let range = self
            .words
            .range::<str, _>((Bound::Included(word), Bound::Unbounded));
        range.map(|(word, mentions)| (word.as_str(), mentions.as_slice()))
    }

    /// The words of the index that are spelt almost like this one, as far as there is time to
    /// compare: those that begin with its letter first, since that one is mostly right.
    fn spelt_alike(
        &self,
        word: &str,
        guessing: &mut u64,
        effort: &Effort,
    ) -> Result<Vec<(&str, &[Mention])>, EffortError> {
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

/// What it takes to index a tool, in units of fuel: some ten microseconds, twice.
const INDEXED: u64 = 20_000;

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
    fn of(binding: &str, tool: &Tool, said: &ToolText) -> Self {
        let tool = canonical(&tool.name);
        let server: HashSet<String> = said.server().iter().cloned().collect();
        let words = said.name().iter().filter(|word| !server.contains(*word));
        Self {
            full: canonical(binding) + &tool,
            tool,
            words: words.cloned().collect(),
            server,
        }
    }

    /// Whether a query is the tool's name: as it is written, or its words in any order, perhaps
    /// with some of the server's.
    fn are_asked_for(&self, query: &str, asked: &HashSet<&str>) -> bool {
        let in_other_words = || {
            !self.words.is_empty()
                && self.words.iter().all(|word| asked.contains(word.as_str()))
                && asked
                    .iter()
                    .all(|word| self.words.contains(*word) || self.server.contains(*word))
        };
        query == self.full || query == self.tool || in_other_words()
    }

    /// How many of the name's words are such.
    fn share_of(&self, are: impl Fn(&str) -> bool) -> f32 {
        let such = self.words.iter().filter(|word| are(word)).count();
        such as f32 / self.words.len().max(1) as f32
    }
}

#[cfg(test)]
mod recall;
#[cfg(test)]
mod tests;
