//! Whether a task was done: by what the model answered, and by what is so afterwards.

use serde::Deserialize;

/// What must hold after a task.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Check {
    /// Texts that the last answer has, each as a whole word; of numbers, spaces and commas between
    /// thousands don't count.
    pub answer: Vec<String>,
    /// Texts that it does not have.
    pub not_answer: Vec<String>,
    /// A script in TypeScript that returns `true`, or what is wrong. It runs in the same servers and
    /// the same workspace.
    pub state: Option<String>,
}

/// What a check says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The task was done.
    Done,
    /// What is wrong.
    Wrong(String),
}

impl Check {
    /// Whether nothing is checked: what must not be there is there of no answer.
    pub fn is_empty(&self) -> bool {
        self.answer.is_empty() && self.state.is_none()
    }

    /// What the last answer says.
    pub fn judge(&self, answer: &str) -> Verdict {
        let answer = plain(answer);
        let missing = self.answer.iter().find(|text| !has(&answer, &plain(text)));
        if let Some(missing) = missing {
            return Verdict::Wrong(format!("the answer does not have `{missing}`"));
        }
        match self
            .not_answer
            .iter()
            .find(|text| has(&answer, &plain(text)))
        {
            Some(present) => Verdict::Wrong(format!("the answer has `{present}`")),
            None => Verdict::Done,
        }
    }

    /// What the script of the state returned, as a model would read it.
    pub fn judge_state(returned: &str) -> Verdict {
        match returned.trim() {
            "true" => Verdict::Done,
            other => Verdict::Wrong(format!("afterwards: {other}")),
        }
    }
}

/// In lower case, with one space between words, and without signs between thousands.
fn plain(text: &str) -> String {
    let text = text.to_lowercase().replace(['\u{a0}', '\u{202f}'], " ");
    let characters: Vec<char> = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .collect();
    let is_digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    let is_between = |at: usize| {
        let three = (1..=3).all(|after| is_digit(at + after)) && !is_digit(at + 4);
        matches!(characters[at], ',' | ' ') && at > 0 && is_digit(at - 1) && three
    };
    let kept = (0..characters.len()).filter(|&at| !is_between(at));
    kept.map(|at| characters[at]).collect()
}

/// Whether a text has another as whole words: `40` is not in `140`, `40.5` or `-40`.
fn has(text: &str, wanted: &str) -> bool {
    let is_number = wanted.ends_with(|c: char| c.is_ascii_digit());
    text.match_indices(wanted).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + wanted.len()..].chars();
        let (next, second) = (after.next(), after.next());
        let begins =
            before.is_none_or(|c| !(c.is_alphanumeric() || is_number && matches!(c, '.' | '-')));
        let goes_on = is_number
            && matches!(next, Some('.' | ','))
            && second.is_some_and(|c| c.is_ascii_digit());
        begins && next.is_none_or(|c| !c.is_alphanumeric()) && !goes_on
    })
}
