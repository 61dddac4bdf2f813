//! The mistakes that a check's error lists.

use ampoule::{Ending, Outcome, Thrown};
use serde::Serialize;

/// What is wrong in one place.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Mistake {
    /// Counted from 1; none where the place is not known.
    line: Option<u32>,
    /// Counted from 1, in characters.
    column: Option<u32>,
    message: String,
}

impl Mistake {
    /// As compilers write it: `file:line:column: message`.
    pub(super) fn in_file(&self, file: &str) -> String {
        let place = [self.line, self.column].into_iter().flatten();
        let place: String = place.map(|number| format!("{number}:")).collect();
        format!("{file}:{place} {}", self.message)
    }
}

/// The mistakes of a script.
#[derive(Default)]
pub(super) struct FoundMistakes {
    pub(super) mistakes: Vec<Mistake>,
    pub(super) may_have_more: bool,
}

/// What guests say after a script's mistakes.
const NOTHING_CALLED: &str = "\nNothing was called";

/// The mistakes that ended a check; or what else ended it.
pub(super) fn mistakes(outcome: &Outcome) -> FoundMistakes {
    match &outcome.ending {
        Ending::Returned(_) => FoundMistakes::default(),
        Ending::Threw(thrown) => listed(thrown),
        ended => FoundMistakes {
            mistakes: vec![Mistake {
                line: None,
                column: None,
                message: ended.to_string(),
            }],
            may_have_more: false,
        },
    }
}

/// The lines beneath a count such as `The script has 10 mistakes or more:`, and whether that says that
/// there may be more.
fn several(message: &str) -> Option<(&str, bool)> {
    let (count, lines) = message.strip_prefix("The script has ")?.split_once(":\n")?;
    let (number, said) = count.split_once(' ')?;
    let more = said.strip_prefix("mistakes")?;
    number.parse::<u32>().ok()?;
    Some((lines, !more.is_empty()))
}

/// The mistakes that an error's message lists; the error itself where it lists none.
fn listed(thrown: &Thrown) -> FoundMistakes {
    let message = &*thrown.message;
    let (message, _) = message.rsplit_once(NOTHING_CALLED).unwrap_or((message, ""));
    let (lines, may_have_more) = several(message).unwrap_or_default();
    let mut mistakes: Vec<Mistake> = Vec::new();
    for line in lines.lines() {
        match (Mistake::of_line(line), mistakes.last_mut()) {
            (Some(mistake), _) => mistakes.push(mistake),
            (None, Some(last)) => last.message += &format!("\n{line}"),
            (None, None) => {}
        }
    }
    if mistakes.is_empty() {
        let location = thrown.location.as_ref();
        mistakes.push(Mistake {
            line: location.map(|location| location.line),
            column: location.map(|location| location.column),
            message: format!("{}: {message}", thrown.name),
        });
    }
    FoundMistakes {
        mistakes,
        may_have_more,
    }
}

impl Mistake {
    /// The mistake of a line such as `line 3, column 7: ToolError: …`.
    fn of_line(line: &str) -> Option<Self> {
        let (place, message) = line.strip_prefix("line ")?.split_once(": ")?;
        let (line, column) = place.split_once(", column ")?;
        Some(Self {
            line: Some(line.parse().ok()?),
            column: Some(column.parse().ok()?),
            message: message.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use ampoule::Location;

    use super::*;

    #[test]
    fn an_error_lists_its_mistakes() {
        let thrown = |message: &str| Thrown {
            name: "ToolError".into(),
            message: message.into(),
            location: Some(Location {
                module: "a.ts".into(),
                line: 2,
                column: 7,
                text: String::new(),
            }),
            stack: String::new(),
            causes: Vec::new(),
        };
        let lines = |message: &str| -> Vec<String> {
            let mistakes = listed(&thrown(message)).mistakes.into_iter();
            mistakes.map(|mistake| mistake.in_file("b/a.ts")).collect()
        };
        assert_eq!(
            lines("x is missing\nNothing was called: the script was checked before it ran."),
            ["b/a.ts:2:7: ToolError: x is missing"]
        );
        assert_eq!(
            lines(
                "The script has 2 mistakes:\nline 2, column 7: ToolError: x is missing\nline 5, column 12: ReferenceError: no a: b\nNothing was called: the script was checked before it ran."
            ),
            [
                "b/a.ts:2:7: ToolError: x is missing",
                "b/a.ts:5:12: ReferenceError: no a: b"
            ]
        );
        assert_eq!(lines("unexpected"), ["b/a.ts:2:7: ToolError: unexpected"]);
        // There are more than are listed.
        let more = "The script has 10 mistakes or more:\nline 2, column 7: ToolError: x mistakes:\nsaid twice\nline 5, column 12: ToolError: y\nNothing was called: the script was checked before it ran.";
        assert_eq!(
            lines(more),
            [
                "b/a.ts:2:7: ToolError: x mistakes:\nsaid twice",
                "b/a.ts:5:12: ToolError: y"
            ]
        );
        assert!(listed(&thrown(more)).may_have_more);
        // One mistake may say that, too.
        assert_eq!(
            lines("x: 2 mistakes:\nline 1, column 1: y"),
            ["b/a.ts:2:7: ToolError: x: 2 mistakes:\nline 1, column 1: y"]
        );
    }
}
