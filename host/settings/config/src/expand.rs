//! `${VAR}`, `${VAR:-default}` and references to secrets in the text of a configuration file.

use std::ffi::OsString;
use std::path::Path;

use ampoule_secrets::{KINDS, Reference, is_sealed};

/// Where a file's paths and variables lead.
#[derive(Clone, Copy)]
pub(super) struct Surroundings<'a> {
    /// What its paths are relative to.
    pub(super) folder: &'a Path,
    /// The variables that there are.
    pub(super) environment: &'a dyn Fn(&str) -> Option<OsString>,
    /// Whether it may refer to secrets: files of other clients don't.
    pub(super) may_refer: bool,
}

/// Replaces `${VAR}` by the variable's value, and `${VAR:-default}` by the default where the
/// variable is unset or empty. `$$` is a dollar sign; so is one that neither a brace nor another
/// one follows. What was put in is not searched again. A reference to a secret is sealed.
///
/// # Errors
///
/// A sentence that names the variable, where it is called as variables usually are: else it might
/// be a secret with `${` in it.
pub(super) fn expand(text: &str, around: Surroundings<'_>) -> Result<String, String> {
    if is_sealed(text) {
        return Err("this contains a character that Unicode keeps for programs".to_owned());
    }
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after
                .split_once('}')
                .ok_or("`${` has no `}`; for a dollar sign, write `$$`")?;
            expanded.push_str(&value_of(inside, around)?);
            rest = after;
        } else {
            expanded.push('$');
            rest = rest.strip_prefix('$').unwrap_or(rest);
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn value_of(inside: &str, around: Surroundings<'_>) -> Result<String, String> {
    // `${file:-default}` is a variable.
    let is_default = |(_, rest): (&str, &str)| rest.starts_with('-');
    let is_meant = Reference::is_meant(inside) && !inside.split_once(':').is_some_and(is_default);
    if around.may_refer && is_meant {
        let reference = Reference::parse(inside, around.folder)?;
        return Ok(reference.seal());
    }
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if name.is_empty()
        || !name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
    {
        let or = match around.may_refer && name.contains(':') {
            true => format!(
                "; references to secrets begin with {}",
                KINDS.map(|kind| format!("`{kind}`")).join(", ")
            ),
            false => String::new(),
        };
        return Err(format!(
            "`${{…}}` names no variable; write `${{NAME}}` or `${{NAME:-default}}`, and `$$` for a dollar sign{or}"
        ));
    }
    let (shown, written) = if is_usual_name(name) {
        (format!("variable {name}"), name)
    } else {
        ("variable that is named here".to_owned(), "NAME")
    };
    let value = (around.environment)(name)
        .map(OsString::into_string)
        .transpose();
    match (
        value.map_err(|_| format!("the environment {shown} is not valid UTF-8"))?,
        default,
    ) {
        (Some(value), _) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.to_owned()),
        (Some(empty), None) => Ok(empty),
        (None, None) => Err(format!(
            "the environment {shown} is not set; set it, or give a default: `${{{written}:-default}}`"
        )),
    }
}

/// Whether a name is written as those of variables usually are: `GITHUB_TOKEN`. Others may be
/// secrets that stand where a name should.
pub(super) fn is_usual_name(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_expanded_once() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/ada".into()),
            "EMPTY" => Some("".into()),
            "NESTED" => Some("${HOME}$$".into()),
            _ => None,
        };
        let not_set =
            "the environment variable NO is not set; set it, or give a default: `${NO:-default}`";
        let no_name = "`${…}` names no variable; write `${NAME}` or `${NAME:-default}`, and `$$` for a dollar sign";
        let cases = [
            ("plain", Ok("plain")),
            ("${HOME}/x", Ok("/home/ada/x")),
            ("${NO:-}", Ok("")),
            ("a${NO:-b c:-d}e", Ok("ab c:-de")),
            ("${EMPTY}|${EMPTY:-default}", Ok("|default")),
            ("${NESTED}", Ok("${HOME}$$")),
            ("$$", Ok("$")),
            ("$${HOME}", Ok("${HOME}")),
            ("$$$$ $HOME pa$ 5$", Ok("$$ $HOME pa$ 5$")),
            ("${NO}", Err(not_set)),
            (
                "${HOME",
                Err("`${` has no `}`; for a dollar sign, write `$$`"),
            ),
            ("${}", Err(no_name)),
            ("${a b}", Err(no_name)),
            (
                "${s3cret}",
                Err(
                    "the environment variable that is named here is not set; set it, or give a default: `${NAME:-default}`",
                ),
            ),
        ];
        let around = Surroundings {
            folder: Path::new("/etc"),
            environment: &variable,
            may_refer: true,
        };
        for (text, expected) in cases {
            let expected = expected.map(ToOwned::to_owned).map_err(ToOwned::to_owned);
            assert_eq!(expand(text, around), expected, "{text}");
        }
    }

    #[test]
    fn references_are_sealed_where_they_may_be() {
        let variable = |_: &str| Some("value".into());
        let around = Surroundings {
            folder: Path::new("/etc"),
            environment: &variable,
            may_refer: true,
        };
        let text = expand("${A} ${file:key} ${file:-b}", around).unwrap();
        let reference = Reference::parse("file:/etc/key", Path::new("/")).unwrap();
        assert_eq!(text, format!("value {} value", reference.seal()));
        let wrong = [
            (
                "${keyring:x}",
                "a secret of the keyring is referred to as `${keyring:SERVICE/ACCOUNT}`",
            ),
            (
                "${vault:x}",
                "`${…}` names no variable; write `${NAME}` or `${NAME:-default}`, and `$$` for a dollar sign; references to secrets begin with `keyring:`, `file:`, `command:`, `op://`",
            ),
            (
                &reference.seal(),
                "this contains a character that Unicode keeps for programs",
            ),
        ];
        for (text, why) in wrong {
            assert_eq!(expand(text, around), Err(why.to_owned()), "{text}");
        }
        let elsewhere = Surroundings {
            may_refer: false,
            ..around
        };
        let error = expand("${command:rm x}", elsewhere).unwrap_err();
        assert!(error.starts_with("`${…}` names no variable") && !error.contains("secrets"));
    }
}
