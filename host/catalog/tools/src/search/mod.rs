//! Search over the tools of bindings.
//!
//! BM25 ranks tools by the words that are said about them; words of names weigh most. Words are
//! compared without case and endings. A word of a query also stands for its synonyms. A word that no
//! tool has stands for the words that start with it, or else for the words that are spelt almost like
//! it. A tool counts more if it does what the query asks for, and if the query names its server.
//! Where there are vectors, the similarity of the tool to the question is added. A tool whose name
//! the query is comes first. What is said about a tool includes what the terms of art in its name
//! mean in everyday words.
//!
//! - `words`: the words of a text; `roots`: what they are derived from; `synonyms`: what else they
//!   may mean; `values`: what values in a query stand for
//! - `text`: the words that are said about a tool; `glossary`: what terms in its name mean;
//!   `lexicon`: the words of all tools, each once
//! - `names`: what tools may be asked for by name; `actions`: what they do; `variety`: among answers;
//!   `sum`: words and meaning together

mod actions;
pub(super) mod glossary;
mod lexicon;
mod names;
mod roots;
mod sum;
mod synonyms;
mod text;
mod values;
mod variety;
mod words;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Bound;
use std::sync::Arc;

use ampoule_effort::{self as effort, Effort, EffortError, breathe};
use ampoule_projection::Tool;
use ampoule_projection::names::canonical;

use self::actions::AskedAction;
use self::lexicon::Lexicon;
use self::names::Names;
use self::roots::root;
pub(super) use self::sum::Question;
use self::text::{Lengths, ToolText};
pub(super) use self::values::plain;
use self::words::{stem, tokens};

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

/// How much more a tool counts whose server the query names.
const OF_NAMED_SERVER: f32 = 2.0;

/// An index over tools. It does not change: when tools do, another is made.
pub struct Index {
    tools: Vec<Names>,
    /// Every word that is said about tools, with the tools that it is said about.
    words: BTreeMap<Arc<str>, Box<[Mention]>>,
    /// The words that are derived from the same, by that.
    families: HashMap<Box<str>, Box<[Arc<str>]>>,
}

/// That a word is said about a tool.
struct Mention {
    tool: u32,
    /// How much that counts, by BM25.
    weight: f32,
}

/// A word of the index that was meant, with what it is said about, and how much it counts.
type WordMatch<'a> = (&'a str, &'a [Mention], f32);

/// A tool that fits a query.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The tool's place in the order in which the index was given the tools.
    pub index: usize,
    /// How well it fits; 0 where everything is listed. To be compared only within one search.
    pub score: f32,
    /// Whether the query is its name: such tools come first, whatever their scores.
    pub is_named: bool,
}

impl Index {
    /// An index over tools, each with its binding's name.
    pub fn new<'a>(tools: impl IntoIterator<Item = (&'a str, &'a Tool)>) -> Self {
        let tools: Vec<_> = tools.into_iter().collect();
        let room = text::room_for_each(tools.len());
        let mut lexicon = Lexicon::default();
        let said: Vec<_> = tools
            .iter()
            .map(|(binding, tool)| {
                breathe(INDEXED);
                ToolText::about(binding, tool, room, &mut lexicon)
            })
            .collect();
        let names = names::of(&tools, &said, &lexicon);
        let usual = Lengths::of(&said);
        let words = lexicon.into_words();
        let mut mentions: Vec<Vec<Mention>> = Vec::new();
        mentions.resize_with(words.len(), Vec::new);
        for (tool, said) in (0..).zip(said) {
            breathe(INDEXED);
            for (word, often) in said.counted(&usual) {
                let weight = often * (SATURATION + 1.0) / (often + SATURATION);
                mentions[word as usize].push(Mention { tool, weight });
            }
        }
        Self {
            tools: names,
            families: roots::families(&words),
            words: words
                .into_iter()
                .zip(mentions.into_iter().map(Vec::into_boxed_slice))
                .collect(),
        }
    }

    /// The tools that fit `query`, the best first and equals in the index's order; at most `limit`.
    ///
    /// A query without words lists all tools.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        self.find(query, None, limit, &Effort::default())
            .unwrap_or_default()
    }

    /// The same, paid for; by words, and by meaning if that is known.
    pub(super) fn find(
        &self,
        query: &str,
        meaning: Option<&Question<'_>>,
        limit: usize,
        effort: &Effort,
    ) -> Result<Vec<Hit>, EffortError> {
        let mut hits = match (self.by_words(query, effort)?, meaning) {
            (None, _) => {
                let all = (0..self.tools.len()).take(limit);
                let listed = |index| Hit {
                    index,
                    score: 0.0,
                    is_named: false,
                };
                return Ok(all.map(listed).collect());
            }
            (Some(hits), None) => hits,
            (Some(hits), Some(question)) => question.sum(&hits, effort)?,
        };
        hits.sort_by(|a, b| {
            (b.is_named.cmp(&a.is_named))
                .then(b.score.total_cmp(&a.score))
                .then(a.index.cmp(&b.index))
        });
        variety::vary(&mut hits, |one, other| {
            self.tools[one].alike(&self.tools[other])
        });
        hits.truncate(limit);
        Ok(hits)
    }

    /// The tools that share words with a query, in any order; none if it has no words.
    fn by_words(&self, query: &str, effort: &Effort) -> Result<Option<Vec<Hit>>, EffortError> {
        let query: String = query.chars().take(MAX_QUERY).collect();
        effort.spend(effort::BYTE * query.len() as u64)?;
        let asked = self.asked(&query);
        if asked.is_empty() {
            return Ok(None);
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
                    let score = best.entry(*tool as usize).or_default();
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
        let action = AskedAction::of(&query);
        let hits = scores.into_iter().map(|(index, score)| {
            let names = &self.tools[index];
            let covered = UNCOVERED + (1.0 - UNCOVERED) * covered[&index] / most;
            let named =
                1.0 + NAMED * names.share_of(|word| asked.contains(word) || meant.contains(word));
            let on_server = match names.server().any(|word| asked.contains(word)) {
                true => OF_NAMED_SERVER,
                false => 1.0,
            };
            Hit {
                index,
                score: score * covered * named * on_server * action.fit(names.action()),
                is_named: names.are_asked_for(&name, &asked),
            }
        });
        Ok(Some(hits.collect()))
    }

    /// The words of a query, each once, and two that are said as one: `local storage` of
    /// `localstorage`.
    fn asked(&self, query: &str) -> Vec<String> {
        let words = tokens(query);
        let values = query.split_whitespace().flat_map(values::stand_for);
        let values = values.map(|word| stem(word));
        let joined = words.windows(2).map(|two| two.concat());
        let known: Vec<String> = joined
            .filter(|word| self.words.contains_key(word.as_str()))
            .collect();
        let mut once = HashSet::new();
        let all = words.into_iter().chain(known).chain(values);
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
    ) -> Result<Vec<WordMatch<'_>>, EffortError> {
        let synonyms = synonyms::of(word);
        effort.spend(effort::ITEM * (1 + synonyms.len() as u64))?;
        let itself = std::iter::once((word, 1.0));
        let others = synonyms
            .iter()
            .map(|(word, counts)| (word.as_str(), *counts));
        let known = itself.chain(others).filter_map(|(word, counts)| {
            let (word, mentions) = self.words.get_key_value(word)?;
            Some((&**word, &**mentions, counts))
        });
        let mut known: Vec<WordMatch<'_>> = known.collect();
        for other in self.families.get(root(word)).into_iter().flatten() {
            if !known.iter().any(|(word, ..)| *word == &**other)
                && let Some((other, mentions)) = self.words.get_key_value(other)
            {
                known.push((other, mentions, ALIKE));
            }
        }
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
        range.map(|(word, mentions)| (&**word, &**mentions))
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

#[cfg(test)]
mod recall;
#[cfg(test)]
mod tests;
