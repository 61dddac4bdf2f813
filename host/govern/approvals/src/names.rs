//! The names of files: run, question, and what of it the file is.

use crate::error::QuestionError;
use crate::id::QuestionId;

/// What of a question a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// The question.
    Question,
    /// Its answer.
    Answer,
    /// That the answer was used for the call of this number.
    Used(u32),
    /// That what was allowed for a run or a session is so no more.
    Revoked,
    /// Which browser has an address of the page.
    Claim(u64),
    /// That the question with so many calls was delivered to the operator's system.
    Delivered(usize),
}

/// The name of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) run: String,
    pub(crate) id: QuestionId,
    pub(crate) part: Part,
}

impl Name {
    pub(crate) fn new(run: &str, id: QuestionId, part: Part) -> Self {
        Self {
            run: run.to_owned(),
            id,
            part,
        }
    }

    /// The name that this is, if it is one.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.split('.').collect();
        let (run, id, part) = match *parts.as_slice() {
            [run, id, "question"] => (run, id, Part::Question),
            [run, id, "answer"] => (run, id, Part::Answer),
            [run, id, "revoked"] => (run, id, Part::Revoked),
            [run, id, number, "used"] => (run, id, Part::Used(number.parse().ok()?)),
            [run, id, claim, "claim"] => {
                (run, id, Part::Claim(u64::from_str_radix(claim, 16).ok()?))
            }
            [run, id, calls, "delivered"] => (run, id, Part::Delivered(calls.parse().ok()?)),
            _ => return None,
        };
        check_run(run).ok()?;
        Some(Self::new(run, id.parse().ok()?, part))
    }

    /// Another file of the same question.
    pub(crate) fn with(&self, part: Part) -> Self {
        Self {
            part,
            ..self.clone()
        }
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { run, id, part } = self;
        match part {
            Part::Question => write!(f, "{run}.{id}.question"),
            Part::Answer => write!(f, "{run}.{id}.answer"),
            Part::Revoked => write!(f, "{run}.{id}.revoked"),
            Part::Used(number) => write!(f, "{run}.{id}.{number}.used"),
            Part::Claim(claim) => write!(f, "{run}.{id}.{claim:016x}.claim"),
            Part::Delivered(calls) => write!(f, "{run}.{id}.{calls}.delivered"),
        }
    }
}

/// A run's name is a part of files' names.
pub(crate) fn check_run(run: &str) -> Result<(), QuestionError> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    match (1..=64).contains(&run.len()) && run.bytes().all(fits) {
        true => Ok(()),
        false => Err(QuestionError::NoRun),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_as_they_were_written() {
        let id = QuestionId::new().unwrap();
        let parts = [
            Part::Question,
            Part::Answer,
            Part::Revoked,
            Part::Used(7),
            Part::Claim(0xabc),
            Part::Delivered(3),
        ];
        for part in parts {
            let name = Name::new("9f2c4e81a0b7d365-17", id, part);
            assert_eq!(Name::parse(&name.to_string()), Some(name));
        }
        let others = [
            "key",
            "a.b.question",
            &format!("../x.{id}.question"),
            ".x.part",
        ];
        for other in others {
            assert_eq!(Name::parse(other), None, "{other}");
        }
    }
}
