//! What is wrong with policies, and where.

use std::fmt;
use std::sync::Arc;

use ampoule_untrusted::text;

/// How many problems of one set of policies are reported. What is wrong everywhere need not say so
/// a thousand times.
const MOST_TOLD: usize = 100;
/// How much of one message is told, in characters.
const MOST_CHARS: usize = 1_000;

/// Where a policy stands. Displays as `deletes.cedar:12:3`, or `[roles.support]`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file's name, or the table of the configuration.
    pub source: Arc<str>,
    /// Where in the file: line and column, in characters, both from 1.
    pub position: Option<(usize, usize)>,
}

impl Place {
    /// A table of the configuration.
    pub(crate) fn table(name: impl fmt::Display) -> Self {
        Self {
            source: name.to_string().into(),
            position: None,
        }
    }

    /// A place in a file, by how many bytes of it come before.
    pub(crate) fn in_file(name: &Arc<str>, lines: &Lines<'_>, offset: usize) -> Self {
        Self {
            source: Arc::clone(name),
            position: Some(lines.position(offset)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&text::one_line(&self.source))?;
        match self.position {
            Some((line, column)) => write!(f, ":{line}:{column}"),
            None => Ok(()),
        }
    }
}

/// A text whose lines are counted once.
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// Where each line begins, in bytes.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1));
        Self {
            text,
            starts: starts.collect(),
        }
    }

    fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset).max(1);
        let before = self.text.get(self.starts[line - 1]..offset);
        (line, before.map_or(1, |text| text.chars().count() + 1))
    }
}

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The policies are not used.
    Error,
    /// They are used; something is likely not meant.
    Warning,
}

/// Something wrong with policies. Displays as one line: place, policy, what is wrong, what may have
/// been meant. A warning says that it is one, except as `{:#}`, for a log or a list of warnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyDiagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where; nowhere in particular if it concerns a folder.
    pub place: Option<Place>,
    /// The policy's id.
    pub policy: Option<Arc<str>>,
    /// What is wrong, for a person.
    pub message: String,
    /// What may have been meant, the likeliest first.
    pub near: Vec<String>,
}

impl PolicyDiagnostic {
    pub(crate) fn error(place: Option<Place>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            place,
            policy: None,
            message: message.into(),
            near: Vec::new(),
        }
    }

    pub(crate) fn warning(place: Option<Place>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(place, message)
        }
    }

    pub(crate) fn of(self, policy: &Arc<str>) -> Self {
        Self {
            policy: Some(Arc::clone(policy)),
            ..self
        }
    }

    pub(crate) fn near(self, near: Vec<String>) -> Self {
        Self { near, ..self }
    }
}

impl fmt::Display for PolicyDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            write!(f, "{place}: ")?;
        }
        if self.severity == Severity::Warning && !f.alternate() {
            f.write_str("warning: ")?;
        }
        if let Some(policy) = &self.policy {
            write!(f, "policy `{}`: ", text::one_line(policy))?;
        }
        let told = text::one_line(&self.message);
        match told.char_indices().nth(MOST_CHARS) {
            Some((end, _)) => write!(f, "{}…", &told[..end])?,
            None => f.write_str(&told)?,
        }
        for (place, name) in self.near.iter().enumerate() {
            let before = if place == 0 { "; did you mean" } else { " or" };
            write!(f, "{before} `{}`", text::one_line(name))?;
        }
        f.write_str(if self.near.is_empty() { "" } else { "?" })
    }
}

/// Everything that is wrong with policies, in the order of their places; at least one of them is an
/// error. Displays as lines.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.0))]
pub struct PolicyError(pub Vec<PolicyDiagnostic>);

impl PolicyError {
    /// One error that is not in a file.
    pub fn of(message: String) -> Self {
        Self(vec![PolicyDiagnostic::error(None, message)])
    }
}

fn lines(problems: &[PolicyDiagnostic]) -> String {
    let lines: Vec<String> = problems.iter().map(PolicyDiagnostic::to_string).collect();
    lines.join("\n")
}

/// Diagnostics, while they are collected.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics {
    problems: Vec<PolicyDiagnostic>,
    untold: usize,
}

impl Diagnostics {
    pub(crate) fn add(&mut self, problem: PolicyDiagnostic) {
        if self.problems.contains(&problem) {
            return;
        }
        // An error is told rather than a warning.
        if self.problems.len() >= MOST_TOLD {
            self.untold += 1;
            let warning = |known: &PolicyDiagnostic| known.severity == Severity::Warning;
            match self.problems.iter().position(warning) {
                Some(place) if problem.severity == Severity::Error => {
                    self.problems[place] = problem;
                }
                _ => {}
            }
            return;
        }
        self.problems.push(problem);
    }

    pub(crate) fn has_errors(&self) -> bool {
        let mut problems = self.problems.iter();
        problems.any(|problem| problem.severity == Severity::Error)
    }

    /// All of them, in the order of their places.
    pub(crate) fn told(mut self) -> Vec<PolicyDiagnostic> {
        self.problems
            .sort_by(|a, b| (a.severity, &a.place).cmp(&(b.severity, &b.place)));
        if self.untold > 0 {
            let told = format!("and {} more problems like these", self.untold);
            self.problems.push(PolicyDiagnostic::warning(None, told));
        }
        self.problems
    }

    /// What was made, with warnings; or the problems, if one is an error.
    pub(crate) fn unless<T>(
        self,
        made: impl FnOnce(Vec<PolicyDiagnostic>) -> T,
    ) -> Result<T, PolicyError> {
        match self.has_errors() {
            true => Err(PolicyError(self.told())),
            false => Ok(made(self.told())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters() {
        let text = "a\nbé c\n\nd";
        let lines = Lines::of(text);
        let at = |part: &str| lines.position(text.find(part).unwrap());
        assert_eq!(at("a"), (1, 1));
        assert_eq!(at("c"), (2, 4));
        assert_eq!(at("d"), (4, 1));
        assert_eq!(lines.position(text.len() + 7), (4, 1));
    }

    #[test]
    fn problems_are_one_line_each_and_show_what_is_hidden() {
        let place = Place::table("[roles.a\nb]");
        let problem = PolicyDiagnostic::error(Some(place), "no tool `x\u{202e}`\nhere")
            .of(&"p\n1".into())
            .near(vec!["y".into(), "z\u{1b}".into()]);
        assert_eq!(
            problem.to_string(),
            r"[roles.a\nb]: policy `p\n1`: no tool `x\u{202e}`\nhere; did you mean `y` or `z\u{1b}`?"
        );
    }

    #[test]
    fn no_more_are_told_than_anybody_reads_and_errors_first() {
        let mut found = Diagnostics::default();
        for number in 0..300 {
            found.add(PolicyDiagnostic::warning(None, number.to_string()));
        }
        assert!(!found.has_errors());
        found.add(PolicyDiagnostic::error(None, "bad"));
        found.add(PolicyDiagnostic::error(None, "bad"));
        let PolicyError(told) = found.unless(|_| ()).unwrap_err();
        assert_eq!(told.len(), MOST_TOLD + 1);
        assert_eq!(told[0].message, "bad");
        assert_eq!(told[MOST_TOLD].message, "and 201 more problems like these");
    }
}
