//! How clients write variables, translated to how `ampoule.toml` does: the reference, never the
//! value.

use super::super::User;

/// A dialect of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Variables {
    /// There are none: each text is meant as it is.
    None,
    /// `${X}`, `${X:-default}`.
    Braces,
    /// Both of these, in a file that is nobody's.
    Anybodys,
    /// `${env:X}`, empty where it is unset; `${userHome}`, `${input:id}`. So it is in VS Code's
    /// `variableResolver.ts`, "as a normal shell does"; Cursor and Windsurf were made of that, and
    /// their own source is closed.
    Env,
    /// `${env:X}` alone; one that is unset stays as it is written. So it is in Cline's
    /// `envExpansion.ts`.
    Cline,
    /// `$X`, `${X}`, `${X:-default}`; one that is unset stays as it is written.
    Shell,
    /// `{env:X}`, empty where it is unset.
    Opencode,
}

impl Variables {
    /// The text as `ampoule.toml` has it.
    ///
    /// # Errors
    ///
    /// A sentence about a variable that means nothing outside of the client.
    pub(super) fn ours(self, text: &str, user: &User) -> Result<String, String> {
        let (sign, open) = match self {
            Self::Opencode => ('{', "{"),
            _ => ('$', "${"),
        };
        let mut ours = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(sign) {
            self.plain(&rest[..at], &mut ours);
            rest = &rest[at..];
            let inside = rest.strip_prefix(open).and_then(to_brace);
            let translated = match inside {
                Some((inside, after)) => self
                    .reference(inside, user)?
                    .map(|reference| (reference, after)),
                None if self == Self::Shell => bare(rest, user),
                None => None,
            };
            match translated {
                Some((reference, after)) => {
                    ours.push_str(&reference);
                    rest = after;
                }
                None => {
                    self.plain(&rest[..1], &mut ours);
                    rest = &rest[1..];
                }
            }
        }
        self.plain(rest, &mut ours);
        Ok(ours)
    }

    /// What is meant as it is.
    fn plain(self, text: &str, ours: &mut String) {
        ours.push_str(&text.replace('$', "$$"));
    }

    /// What stands between the braces, or none where it is not a variable for this client.
    fn reference(self, inside: &str, user: &User) -> Result<Option<String>, String> {
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        Ok(match self {
            Self::Braces => is_name(name).then(|| format!("${{{inside}}}")),
            Self::Shell if is_name(name) => {
                let stays = default.is_none() && user.variable(name).is_none();
                (!stays).then(|| format!("${{{inside}}}"))
            }
            Self::Env => return editors(inside, user),
            Self::Anybodys => match editors(inside, user)? {
                None if is_name(name) => Some(format!("${{{inside}}}")),
                editors => editors,
            },
            Self::Cline => match inside.split_once(':') {
                Some(("env", name)) if is_name(name.trim()) => {
                    let name = name.trim();
                    let is_set = user.variable(name).is_some();
                    is_set.then(|| format!("${{{name}:-}}"))
                }
                _ => None,
            },
            Self::Opencode => match inside.split_once(':') {
                Some(("env", name)) if is_name(name) => Some(format!("${{{name}:-}}")),
                Some(("file", _)) => {
                    return Err("`{file:…}` is read by opencode alone; put it into a variable of the environment, and write `{env:NAME}`".to_owned());
                }
                _ => None,
            },
            Self::None | Self::Shell => None,
        })
    }
}

/// What stands before the next `}`, and what follows it. Names are short: without a bound, a text
/// of nothing but beginnings would be looked through again for each.
fn to_brace(text: &str) -> Option<(&str, &str)> {
    const LONGEST: usize = 1024;
    let at = text[..text.floor_char_boundary(LONGEST)].find('}')?;
    Some((&text[..at], &text[at + 1..]))
}

/// The variables of VS Code and of what was made of it.
fn editors(inside: &str, user: &User) -> Result<Option<String>, String> {
    Ok(match inside.split_once(':') {
        Some(("env", name)) if is_name(name) => Some(format!("${{{name}:-}}")),
        Some(("input", id)) => {
            let name = input_variable(id);
            if user.variable(&name).is_none() {
                return Err(format!(
                    "the editor asks people for this input, which Ampoule can't; set the environment variable {name} to it"
                ));
            }
            Some(format!("${{{name}}}"))
        }
        Some(("command" | "config", _)) => {
            return Err("this variable is the editor's own; write what it stands for".to_owned());
        }
        _ => match inside {
            "userHome" => Some("${HOME}".to_owned()),
            "pathSeparator" | "/" => Some("/".to_owned()),
            _ if inside.starts_with("workspaceFolder") => {
                return Err("`${workspaceFolder}` means nothing here, as Ampoule serves no one folder; write the path".to_owned());
            }
            _ => None,
        },
    })
}

/// The variable in which an input that an editor asks for is looked for: `AMPOULE_INPUT_API_KEY`
/// for `api-key`.
fn input_variable(id: &str) -> String {
    let upper = |char: char| match char.to_ascii_uppercase() {
        char if char.is_ascii_alphanumeric() => char,
        _ => '_',
    };
    let id: String = id.chars().take(64).map(upper).collect();
    format!("AMPOULE_INPUT_{id}")
}

/// `$X` at the beginning of a text, and what follows.
fn bare<'a>(text: &'a str, user: &User) -> Option<(String, &'a str)> {
    let text = text.strip_prefix('$')?;
    let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let end = text.find(|char| !is_part(char)).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    let is_set = is_name(name) && user.variable(name).is_some();
    is_set.then(|| (format!("${{{name}}}"), after))
}

fn is_name(name: &str) -> bool {
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dialect_says_the_same_in_ours() {
        let mut user = User::default();
        for name in ["SET", "AMPOULE_INPUT_API_KEY"] {
            user.environment.insert(name.to_owned(), "value".into());
        }
        for (dialect, text, ours) in [
            (
                Variables::None,
                "pa$$ ${SET} {env:SET}",
                "pa$$$$ $${SET} {env:SET}",
            ),
            (
                Variables::Braces,
                "${SET}/${NO:-a}/$SET/${a b}",
                "${SET}/${NO:-a}/$$SET/$${a b}",
            ),
            (Variables::Braces, "${SET", "$${SET"),
            (
                Variables::Anybodys,
                "${SET}/${env:SET}/${userHome}/${NO:-a}/${a b}",
                "${SET}/${SET:-}/${HOME}/${NO:-a}/$${a b}",
            ),
            (
                Variables::Env,
                "${env:SET}/${env:NO}/${SET}",
                "${SET:-}/${NO:-}/$${SET}",
            ),
            (
                Variables::Env,
                "${userHome}/x${input:api-key}",
                "${HOME}/x${AMPOULE_INPUT_API_KEY}",
            ),
            (
                Variables::Cline,
                "${env:SET}/${env: SET }/${env:NO}/${userHome}/${SET}",
                "${SET:-}/${SET:-}/$${env:NO}/$${userHome}/$${SET}",
            ),
            (
                Variables::Shell,
                "$SET/${SET}/$NO/${NO}/${NO:-a}/$5",
                "${SET}/${SET}/$$NO/$${NO}/${NO:-a}/$$5",
            ),
            (Variables::Shell, "$$SET", "$$${SET}"),
            (
                Variables::Opencode,
                "{env:SET}/{SET}/$5/{é}",
                "${SET:-}/{SET}/$$5/{é}",
            ),
        ] {
            assert_eq!(
                dialect.ours(text, &user).unwrap(),
                ours,
                "{dialect:?} {text}"
            );
        }
        for (dialect, text, said) in [
            (
                Variables::Env,
                "${input:other}",
                "set the environment variable AMPOULE_INPUT_OTHER",
            ),
            (Variables::Env, "${workspaceFolder}/x", "write the path"),
            (Variables::Env, "${command:pick}", "the editor's own"),
            (Variables::Opencode, "{file:~/key}", "`{env:NAME}`"),
        ] {
            let error = dialect.ours(text, &user).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
