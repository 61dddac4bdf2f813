//! `${VAR}` and `${VAR:-default}` in the text of a configuration file.

use std::ffi::OsString;

/// Replaces `${VAR}` by the variable's value, and `${VAR:-default}` by the default where the variable is unset or empty. `$$` is a
/// dollar sign; so is one that neither a brace nor another one follows. What was put in is not searched again.
///
/// # Errors
///
/// A sentence that names the variable. It never contains a value.
pub(super) fn expand(
    text: &str,
    variable: &dyn Fn(&str) -> Option<OsString>,
) -> Result<String, String> {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        expanded.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('{') {
            let (inside, after) = after
                .split_once('}')
                .ok_or("`${` has no `}`; for a dollar sign, write `$$`")?;
            expanded.push_str(&value_of(inside, variable)?);
            rest = after;
        } else {
            expanded.push('$');
            rest = rest.strip_prefix('$').unwrap_or(rest);
        }
    }
    expanded.push_str(rest);
    Ok(expanded)
}

fn value_of(inside: &str, variable: &dyn Fn(&str) -> Option<OsString>) -> Result<String, String> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if name.is_empty()
        || !name
            .chars()
            .all(|char| char.is_ascii_alphanumeric() || char == '_')
    {
        return Err(format!(
            "`${{{inside}}}` names no variable; write `${{NAME}}` or `${{NAME:-default}}`"
        ));
    }
    let value = variable(name).map(OsString::into_string).transpose();
    match (
        value.map_err(|_| format!("the environment variable {name} is not valid UTF-8"))?,
        default,
    ) {
        (Some(value), _) if !value.is_empty() => Ok(value),
        (_, Some(default)) => Ok(default.to_owned()),
        (Some(empty), None) => Ok(empty),
        (None, None) => Err(format!(
            "the environment variable {name} is not set; set it, or give a default: `${{{name}:-default}}`"
        )),
    }
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
            (
                "${}",
                Err("`${}` names no variable; write `${NAME}` or `${NAME:-default}`"),
            ),
            (
                "${a b}",
                Err("`${a b}` names no variable; write `${NAME}` or `${NAME:-default}`"),
            ),
        ];
        for (text, expected) in cases {
            let expected = expected.map(ToOwned::to_owned).map_err(ToOwned::to_owned);
            assert_eq!(expand(text, &variable), expected, "{text}");
        }
    }
}
