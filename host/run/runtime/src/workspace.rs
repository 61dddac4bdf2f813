//! The files of a run: which it has, and what becomes of what it wrote.

use std::path::PathBuf;
use std::sync::Arc;

use ampoule_isolate::{Ending, FileAnswer, FileAsked, FileTold, Outcome, RunFiles, Thrown};
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Principal};
use ampoule_workspace::{Files, Promises, Tree, Workspaces};

/// What runs have of files, unless they are given something else.
#[derive(Default)]
pub(crate) struct Offered {
    pub(crate) workspaces: Option<Workspaces>,
    pub(crate) folders: Vec<(String, Arc<Tree>)>,
}

/// Which workspace a run has.
#[derive(Clone, Default)]
pub(crate) enum Wanted {
    /// Its principal's, if the runtime has any.
    #[default]
    Offered,
    /// This one.
    This(Arc<Tree>),
    /// None, and no folders.
    None,
}

impl Offered {
    /// Whether a run that wants this has any files.
    pub(crate) fn gives(&self, wanted: &Wanted) -> bool {
        match wanted {
            Wanted::This(_) => true,
            Wanted::Offered => self.workspaces.is_some() || !self.folders.is_empty(),
            Wanted::None => false,
        }
    }

    /// The workspace of a principal, if there are any.
    pub(crate) fn workspace(
        &self,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<Tree>>, Error> {
        let Some(workspaces) = &self.workspaces else {
            return Ok(None);
        };
        let name = principal.map(|principal| &**principal.name());
        let opened = workspaces.of(name);
        opened
            .map(Some)
            .map_err(|error| Error::host("the workspace can't be used", error))
    }

    /// What a run has of files; none if it has none.
    pub(crate) fn files(
        &self,
        wanted: Wanted,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<Files>>, Error> {
        let workspace = match wanted {
            Wanted::None => return Ok(None),
            Wanted::This(tree) => Some(tree),
            Wanted::Offered => self.workspace(principal)?,
        };
        if workspace.is_none() && self.folders.is_empty() {
            return Ok(None);
        }
        let files = Files::new(workspace, self.folders.clone());
        Ok(Some(Arc::new(files)))
    }
}

/// The folders of the host's own in those that a run changed, where it leaves that to others.
pub(crate) fn places_changed(files: &RunFiles, outcome: &Outcome) -> Vec<PathBuf> {
    match files.there() {
        Some(files) if has_returned(outcome) => files.places_changed(),
        _ => Vec::new(),
    }
}

/// Promises what a run wrote, if it came to its end. Where that can't be done, it has failed; and so
/// has one that is run again, where the recorded one had.
pub(crate) fn promise(
    files: &RunFiles,
    outcome: &mut Outcome,
    (may_keep, decision): (bool, Option<&Decision>),
) -> Option<Promises> {
    if !has_returned(outcome) {
        return None;
    }
    let asked = FileAsked {
        what: "merge",
        of: String::new(),
    };
    let promised = match files {
        RunFiles::None => return None,
        RunFiles::There(files, heard) => {
            let promised = match may_keep {
                true => files.promise(decision.cloned()).map(Some),
                false => Ok(None),
            };
            if let Some(heard) = heard {
                let answer = match &promised {
                    Ok(_) => Ok(FileAnswer::Done),
                    Err(problem) => Err(problem.clone()),
                };
                heard.heard(asked, FileTold { answer, spent: 0 });
            }
            promised
        }
        // Where the record has none, the run is another by now, as whoever follows it knows.
        RunFiles::Told(teller) => match teller.told(&asked).map(|told| told.answer) {
            Ok(Err(problem)) => Err(problem),
            _ => Ok(None),
        },
    };
    promised.unwrap_or_else(|problem| {
        outcome.ending = not_kept(&problem.advice_or_text());
        None
    })
}

fn has_returned(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Returned(_))
}

/// How a run ends whose files are not kept.
pub(crate) fn not_kept(problem: &str) -> Ending {
    Ending::Threw(Thrown {
        name: "WorkspaceError".to_owned(),
        message: format!("The files that the script wrote are not kept: {problem}"),
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    })
}
