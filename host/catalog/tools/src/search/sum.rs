//! Words and meaning together.

use ampoule_effort::{self as effort, Effort, EffortError};

use super::Hit;
use crate::meaning::{ToolVectors, Vector};

/// How much words count beside the similarity of a tool to the question, where those of the tool
/// that has most of them count 1; and how much the similarity of a tool's name alone, with what it
/// means. Found by trying them on the project's questions.
const WORDS: f32 = 0.4;
const NAME: f32 = 0.3;

/// How similar a tool must be to be found without any word of the question.
const LEAST: f32 = 0.2;

/// What a question means, and what the tools of an index do.
pub(crate) struct Question<'a> {
    pub(crate) vector: &'a Vector,
    /// In the order of the index.
    pub(crate) tools: &'a [ToolVectors],
}

impl Question<'_> {
    /// All tools that fit the question, given those that share words with it.
    pub(super) fn sum(&self, by_words: &[Hit], effort: &Effort) -> Result<Vec<Hit>, EffortError> {
        effort.spend(effort::ITEM * 8 * self.tools.len() as u64)?;
        let mut words = vec![None; self.tools.len()];
        for hit in by_words {
            words[hit.index] = Some(*hit);
        }
        let scores = by_words.iter().map(|hit| hit.score);
        let most = scores.fold(f32::MIN_POSITIVE, f32::max);
        let all = self.tools.iter().zip(words).enumerate();
        let hits = all.filter_map(|(index, (tool, words))| {
            let similar = self.vector.similarity(&tool.document);
            if words.is_none() && similar < LEAST {
                return None;
            }
            let by_words = words.map_or(0.0, |hit| hit.score);
            let by_name = NAME * self.vector.similarity(&tool.name);
            Some(Hit {
                index,
                score: WORDS * by_words / most + similar + by_name,
                is_named: words.is_some_and(|hit| hit.is_named),
            })
        });
        Ok(hits.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools(vectors: &[[f32; 2]]) -> Vec<ToolVectors> {
        let of = |vector: &[f32; 2]| ToolVectors {
            document: Vector::of(vector),
            name: Vector::of(vector),
        };
        vectors.iter().map(of).collect()
    }

    fn hit(index: usize, score: f32) -> Hit {
        Hit {
            index,
            score,
            is_named: false,
        }
    }

    fn found(tools: &[ToolVectors], by_words: &[Hit]) -> Vec<usize> {
        let question = Question {
            vector: &Vector::of(&[1.0, 0.0]),
            tools,
        };
        let mut hits = question.sum(by_words, &Effort::default()).unwrap();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        hits.iter().map(|hit| hit.index).collect()
    }

    #[test]
    fn what_is_meant_is_found_without_its_words() {
        let tools = tools(&[[0.0, 1.0], [1.0, 0.1], [0.1, 1.0]]);
        assert_eq!(found(&tools, &[]), [1]);
        assert_eq!(found(&tools, &[hit(0, 2.0)]), [1, 0]);
    }

    #[test]
    fn words_decide_between_what_means_the_same() {
        let tools = tools(&[[1.0, 0.2], [1.0, 0.2]]);
        assert_eq!(found(&tools, &[hit(1, 2.0), hit(0, 1.0)]), [1, 0]);
    }

    #[test]
    fn what_is_named_stays_named_whatever_it_means() {
        let tools = tools(&[[-1.0, 0.0], [1.0, 0.0]]);
        let question = Question {
            vector: &Vector::of(&[1.0, 0.0]),
            tools: &tools,
        };
        // Scores may be as high as they are.
        let by_words = [(0, 0.1, true), (1, 9_000.0, false)];
        let by_words = by_words.map(|(index, score, is_named)| Hit {
            index,
            score,
            is_named,
        });
        let hits = question.sum(&by_words, &Effort::default()).unwrap();
        let named: Vec<bool> = hits.iter().map(|hit| hit.is_named).collect();
        assert_eq!(named, [true, false]);
    }
}
