//! Former names of commands: an error about one of them names the current command.

use std::ffi::OsString;

use clap::builder::StyledStr;
use clap::error::{ContextKind, ContextValue};

/// The former name, with its group where the word alone is ambiguous; and the current command.
const RENAMED: [(&str, &str); 15] = [
    ("audit show", "audit ls"),
    ("bench", "tools cost"),
    ("generate", "tools generate"),
    ("install", "clients install"),
    ("list", "ls"),
    ("login", "auth login"),
    ("logout", "auth logout"),
    ("new", "add"),
    ("remove", "rm"),
    ("replay", "runs replay"),
    ("servers import", "clients import"),
    ("servers test", "doctor"),
    ("stats", "audit stats"),
    ("token", "auth token"),
    ("uninstall", "clients uninstall"),
];

/// The error, with a tip if the unknown command is a former name.
pub(super) fn with_new_name(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let typed: Vec<_> = arguments.iter().map(|it| it.to_string_lossy()).collect();
    let group = typed.windows(2).find(|pair| pair[1] == *word);
    let in_group = group.map(|pair| pair.join(" ")).unwrap_or_default();
    let now = RENAMED
        .iter()
        .find(|(old, _)| old == word || *old == in_group);
    if let Some((_, now)) = now {
        let tip = StyledStr::from(format!("the command is now `{now}`"));
        error.remove(ContextKind::SuggestedSubcommand);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
    }
    error
}
