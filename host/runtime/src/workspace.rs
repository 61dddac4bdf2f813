//! The files of a run: which it has, and what becomes of what it wrote.

use std::sync::Arc;

use ampoule_isolate::{Ending, FileAnswer, FileAsked, FileTold, Outcome, RunFiles, Thrown};
use ampoule_tools::{Error, Principal};
use ampoule_workspace::{Code, Files, Problem, Tree, Workspaces};
use tokio::task::spawn_blocking;

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

/// Puts what a run wrote where others see it, if it came to its end. Where that can't be done, it
/// has failed; and so has one that is run again, where the recorded one had.
pub(crate) async fn close(files: RunFiles, outcome: &mut Outcome, may_keep: bool) {
    let has_returned = matches!(outcome.ending, Ending::Returned(_));
    let asked = FileAsked {
        what: "merge",
        of: String::new(),
    };
    let problem = match files {
        RunFiles::None => None,
        RunFiles::There(..) if !has_returned => None,
        RunFiles::There(files, heard) => {
            let problem = merged(files, may_keep).await.err();
            if let Some(heard) = heard {
                let answer = match &problem {
                    None => Ok(FileAnswer::Done),
                    Some(problem) => Err(problem.clone()),
                };
                heard.heard(asked, FileTold { answer, spent: 0 });
            }
            problem
        }
        // Where the record has none, the run is another by now, as whoever follows it knows.
        RunFiles::Told(teller) if has_returned => {
            teller.told(&asked).ok().and_then(|told| told.answer.err())
        }
        RunFiles::Told(_) => None,
    };
    if let Some(problem) = problem {
        outcome.ending = not_kept(&problem.advice_or_text());
    }
}

async fn merged(files: Arc<Files>, may_keep: bool) -> Result<(), Problem> {
    if !may_keep || !files.wrote() {
        return Ok(());
    }
    let merged = spawn_blocking(move || files.merge()).await;
    merged.map_or_else(
        |error| {
            tracing::error!(%error, "a workspace was not merged");
            Err(Problem {
                code: Code::Io,
                advice: "the host failed to keep them".to_owned(),
            })
        },
        |merged| merged.map(drop),
    )
}

fn not_kept(problem: &str) -> Ending {
    Ending::Threw(Thrown {
        name: "WorkspaceError".to_owned(),
        message: format!("The files that the script wrote are not kept: {problem}"),
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    })
}
