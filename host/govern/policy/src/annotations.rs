//! What annotations of policies say: `@ask`, `@reason("…")`, `@redact("…")`.

use std::str::FromStr;

use cedar_policy::Policy;

use crate::redaction::Fields;

/// Those that mean something here. Others are for people.
const KNOWN: [&str; 6] = [
    "id",
    "effect",
    "ask",
    "reason",
    "redact",
    "redact_arguments",
];
/// Those that former versions took, and what is said of each. Passed over, a policy would allow more
/// than it says.
const REMOVED: [(&str, &str); 2] = [
    (
        "dry_run",
        "`@dry_run` is removed: to try runs out, use `ampoule run --preview`; to try policies out, `ampoule policy test`",
    ),
    (
        "rate",
        "`@rate` is removed: a quota of `[quotas]` counts calls, by `principal`, `group`, `client`, `tool` and `class`",
    ),
];
/// Names for people that are close to one of them.
const FOR_PEOPLE: [&str; 2] = ["date", "task"];
/// How many letters may differ for a name to be one of them, misspelt.
const MOST_DIFFERENT: usize = 2;

/// What has to be done with a call that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obligation {
    /// These fields of the result are taken out; of the output, where it is the model's.
    Redact(Fields),
    /// These fields of the arguments are taken out before the call.
    RedactArguments(Fields),
}

impl std::fmt::Display for Obligation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Redact(fields) => write!(f, "redact {fields} in the result"),
            Self::RedactArguments(fields) => write!(f, "redact {fields} in the arguments"),
        }
    }
}

/// What one policy's say.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Annotations {
    pub(crate) id: Option<String>,
    pub(crate) ask: bool,
    pub(crate) reason: Option<String>,
    pub(crate) obligations: Vec<Obligation>,
}

/// Reads a policy's annotations. Each that can't be read is said.
pub(crate) fn read(policy: &Policy) -> (Annotations, Vec<String>) {
    let mut said = Annotations::default();
    let mut wrong = Vec::new();
    for (name, value) in policy.annotations() {
        if let Err(why) = one(name, value, &mut said) {
            wrong.push(why);
        }
    }
    (said, wrong)
}

fn one(name: &str, value: &str, said: &mut Annotations) -> Result<(), String> {
    let text = (!value.is_empty()).then(|| value.to_owned());
    match name {
        "id" if text.is_none() => {
            return Err("`@id` needs a name: `@id(\"no-deletes\")`".to_owned());
        }
        "id" => said.id = text,
        "ask" => {
            said.ask = true;
            // `@reason` says it better.
            said.reason = said.reason.take().or(text);
        }
        "effect" if value == "ask" => said.ask = true,
        "effect" => {
            return Err(format!(
                "`@effect(\"{value}\")` is unknown; write `@effect(\"ask\")`"
            ));
        }
        "reason" => said.reason = text,
        "redact" => said.obligations.push(Obligation::Redact(parsed(value)?)),
        "redact_arguments" => {
            let fields = parsed(value)?;
            said.obligations.push(Obligation::RedactArguments(fields));
        }
        other => {
            if let Some(told) = removed(other) {
                return Err(told.to_owned());
            }
            return misspelt(other).map_or(Ok(()), |meant| {
                Err(format!(
                    "`@{other}` means nothing here; did you mean `@{meant}`?"
                ))
            });
        }
    }
    Ok(())
}

fn parsed<T: FromStr<Err: ToString>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|error: T::Err| error.to_string())
}

/// The annotation that a name was likely meant to be.
fn misspelt(name: &str) -> Option<&'static str> {
    KNOWN.into_iter().find(|known| is_like(name, known))
}

/// What is said of an annotation that former versions took, or that was likely meant to be it.
fn removed(name: &str) -> Option<&'static str> {
    let is_it = |(removed, _): &&(&str, &str)| is_like(name, removed);
    REMOVED.iter().find(is_it).map(|(_, told)| *told)
}

fn is_like(name: &str, known: &str) -> bool {
    let canonical = name.to_lowercase().replace('-', "_");
    // Of short names, most that differ by two letters are others.
    let most = MOST_DIFFERENT.min(known.len() / 3);
    !FOR_PEOPLE.contains(&name) && strsim::damerau_levenshtein(&canonical, known) <= most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(annotations: &str) -> (Annotations, Vec<String>) {
        let policy = format!("{annotations} forbid(principal, action, resource);");
        read(&policy.parse().unwrap())
    }

    #[test]
    fn what_is_said_is_read() {
        let (said, wrong) = said(
            r#"@id("a") @ask("really?") @redact("email, c.*.phone") @redact_arguments("a") @owner("team")"#,
        );
        assert_eq!(wrong, [""; 0]);
        assert_eq!(said.id.as_deref(), Some("a"));
        assert!(said.ask);
        assert_eq!(said.reason.as_deref(), Some("really?"));
        let told: Vec<String> = said.obligations.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "redact email, c.*.phone in the result",
                "redact a in the arguments"
            ]
        );
    }

    #[test]
    fn a_reason_stands_before_what_is_asked() {
        for annotations in [
            r#"@ask("a") @reason("b")"#,
            r#"@reason("b") @ask"#,
            r#"@effect("ask") @reason("b")"#,
        ] {
            let (said, wrong) = said(annotations);
            assert!(said.ask && wrong.is_empty());
            assert_eq!(said.reason.as_deref(), Some("b"), "{annotations}");
        }
    }

    #[test]
    fn what_is_misspelt_does_not_pass_for_a_note() {
        for (annotation, told) in [
            ("@reson(\"a\")", "@reason"),
            ("@redcat(\"a\")", "@redact"),
            ("@dry_run", "use `ampoule run --preview`"),
            ("@dryrun", "use `ampoule run --preview`"),
            ("@redact", "names no fields"),
            ("@rate(\"3/hour\")", "a quota of `[quotas]` counts calls"),
            ("@rates(\"3/hour\")", "a quota of `[quotas]` counts calls"),
            ("@effect(\"deny\")", "\"ask\""),
            ("@id", "needs a name"),
        ] {
            let (_, wrong) = said(annotation);
            assert_eq!(wrong.len(), 1, "{annotation}");
            assert!(wrong[0].contains(told), "{}", wrong[0]);
        }
        let (_, wrong) = said(r#"@description("a") @advice("b") @team("c") @date("d")"#);
        assert_eq!(wrong, [""; 0]);
    }
}
