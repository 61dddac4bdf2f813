//! Where a secret is, as people write it.

use std::fmt;
use std::path::{Path, PathBuf};

use ampoule_untrusted::text::one_line;

/// How references begin.
pub const KINDS: [&str; 4] = ["keyring:", "file:", "command:", "op://"];

/// Where a secret is.
///
/// It is displayed as it is read again. A command is displayed without its arguments, which may be
/// secrets themselves.
#[derive(Clone, PartialEq, Eq)]
pub struct Reference(pub(crate) Source);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Keyring { service: String, account: String },
    File(PathBuf),
    Command(Vec<String>),
    OnePassword(String),
}

impl Reference {
    /// Whether a text is meant as a reference.
    pub fn is_meant(text: &str) -> bool {
        KINDS.iter().any(|kind| text.starts_with(kind))
    }

    /// Reads a reference. Paths in it are relative to a folder; `~/` is the user's own.
    ///
    /// # Errors
    ///
    /// A sentence on what to write. It quotes nothing.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, &'static str> {
        if let Some(name) = text.strip_prefix("keyring:") {
            let (service, account) = name.split_once('/').ok_or(KEYRING)?;
            if service.is_empty() || account.is_empty() {
                return Err(KEYRING);
            }
            let (service, account) = (service.to_owned(), account.to_owned());
            return Ok(Self(Source::Keyring { service, account }));
        }
        if let Some(path) = text.strip_prefix("file:") {
            return match path.trim().is_empty() {
                true => Err("a file is referred to as `${file:PATH}`"),
                false => Ok(Self(Source::File(absolute(path, folder)))),
            };
        }
        if let Some(line) = text.strip_prefix("command:") {
            if line.contains('\0') {
                return Err("a command can't have the character NUL in it");
            }
            let mut words = shlex::split(line).ok_or("a quote in this command is not closed")?;
            let Some(program) = words.first_mut().filter(|program| !program.is_empty()) else {
                return Err("a command is referred to as `${command:PROGRAM ARGUMENT …}`");
            };
            if program.contains('/') {
                let found = absolute(program, folder).into_os_string().into_string();
                *program = found.map_err(|_| "the path to this command is not valid UTF-8")?;
            }
            return Ok(Self(Source::Command(words)));
        }
        let path = text.strip_prefix("op://").unwrap_or_default();
        match path.split('/').filter(|part| !part.is_empty()).count() {
            3.. => Ok(Self(Source::OnePassword(text.to_owned()))),
            _ => Err("a secret of 1Password is referred to as `${op://VAULT/ITEM/FIELD}`"),
        }
    }

    /// The same as it is read again by [`Reference::parse`].
    pub(crate) fn written(&self) -> String {
        match &self.0 {
            Source::Keyring { service, account } => format!("keyring:{service}/{account}"),
            Source::File(path) => format!("file:{}", path.display()),
            Source::Command(words) => {
                let words = words.iter().map(String::as_str);
                // Only a NUL can't be quoted, and none is read.
                let line = shlex::try_join(words).unwrap_or_default();
                format!("command:{line}")
            }
            Source::OnePassword(reference) => reference.clone(),
        }
    }
}

const KEYRING: &str = "a secret of the keyring is referred to as `${keyring:SERVICE/ACCOUNT}`";

fn absolute(path: &str, folder: &Path) -> PathBuf {
    let home = std::env::home_dir();
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => folder.join(path),
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Command(words) => {
                let program = words.first().map(String::as_str).unwrap_or_default();
                let rest = if words.len() > 1 { " …" } else { "" };
                write!(f, "command:{}{rest}", one_line(program))
            }
            _ => f.write_str(&one_line(&self.written())),
        }
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Reference({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Reference, &'static str> {
        Reference::parse(text, Path::new("/etc/ampoule"))
    }

    #[test]
    fn references_are_read_again_as_they_were() {
        let cases = [
            ("keyring:github/ada", "keyring:github/ada"),
            ("keyring:a/b/c", "keyring:a/b/c"),
            ("file:keys/x y", "file:/etc/ampoule/keys/x y"),
            ("file:/run/secrets/x", "file:/run/secrets/x"),
            ("command:pass show github", "command:pass …"),
            ("command:./token 'a b'", "command:/etc/ampoule/./token …"),
            ("command:token", "command:token"),
            ("op://Work/GitHub/token", "op://Work/GitHub/token"),
        ];
        for (text, shown) in cases {
            let reference = parse(text).unwrap();
            assert_eq!(reference.to_string(), shown);
            let again = Reference::parse(&reference.written(), Path::new("/elsewhere"));
            assert_eq!(again.as_ref(), Ok(&reference), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_reference_says_what_to_write() {
        for text in ["keyring:github", "keyring:/x", "keyring:x/"] {
            assert_eq!(parse(text), Err(KEYRING));
        }
        for text in [
            "file:",
            "command:",
            "command:''",
            "command:'x",
            "command:x \0",
            "op://a/b",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn arguments_of_commands_are_not_shown() {
        let reference = parse("command:curl -H hunter2").unwrap();
        assert!(!format!("{reference} {reference:?}").contains("hunter2"));
    }
}
