//! The files that a recorded run changed, each with how it differs from what was there.

use ampoule::{Principal, Record};
use serde_json::Value;
use similar::TextDiff;

use super::disclosure::Disclosure;
use super::files::carried;
use crate::ConsoleError;
use crate::model::FileChange;

/// What is shown of them.
#[derive(Debug, Default)]
pub(super) struct FileChanges {
    pub(super) shown: Vec<FileChange>,
    /// Whether something of them is withheld from the viewer.
    pub(super) withheld: bool,
}

impl FileChanges {
    /// Those of a record.
    pub(super) fn of(record: &Record, disclosure: Disclosure<'_>) -> Self {
        if record.changes.is_empty() {
            return Self::default();
        }
        // What a file had before comes from other runs: what they had read counts, too. Where that
        // can't be told, it may be anything.
        let carried = of_workspace(record, disclosure);
        let may_read = |text: &str| {
            let of_workspace = match &carried {
                Ok(carried) => Disclosure {
                    carried: carried.as_ref(),
                    ..disclosure
                }
                .allows(text),
                Err(_) => disclosure.viewer.is_operator(),
            };
            of_workspace && disclosure.allows(text)
        };
        let mut changes = Self::default();
        for change in &record.changes {
            let before = change.before.as_deref();
            let after = change.after.as_deref();
            let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
            let is_shown = may_read(&change.path) && may_read(old) && may_read(new);
            changes.withheld |= !is_shown;
            if !may_read(&change.path) {
                continue;
            }
            changes.shown.push(FileChange {
                path: change.path.clone(),
                change: change.kind.name().to_owned(),
                bytes: change.bytes,
                diff: difference(change, old, new).filter(|_| is_shown),
            });
        }
        changes
    }
}

/// The unified difference, where both texts are known.
fn difference(change: &ampoule::FileChange, old: &str, new: &str) -> Option<String> {
    let is_known = match change.kind {
        ampoule::FileChangeKind::Created => change.after.is_some(),
        ampoule::FileChangeKind::Removed => change.before.is_some(),
        ampoule::FileChangeKind::Changed => change.before.is_some() && change.after.is_some(),
    };
    is_known.then(|| TextDiff::from_lines(old, new).unified_diff().to_string())
}

/// What the runs had read that wrote the files of the workspace.
fn of_workspace(
    record: &Record,
    disclosure: Disclosure<'_>,
) -> Result<Option<Value>, ConsoleError> {
    let owner = record.head.principal.clone().map(Principal::new);
    match disclosure.runtime.workspace(owner.as_ref())? {
        Some(workspace) => carried(&workspace),
        None => Ok(None),
    }
}
