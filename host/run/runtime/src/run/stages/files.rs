//! The files of a run: which it has, and what becomes of what it wrote.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule_isolate::{Ending, FileAnswer, FileRequest, FileResponse, RunFiles, Thrown};
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Principal};
use ampoule_workspace::{Carrier, Files, Promises, Tree, Workspaces};
use tokio::task::spawn_blocking;

use super::{governed, step};
use crate::governed::{CarriedData, Oversight};
use crate::run::commit::{Durable, End, Places, later};
use crate::run::draft::Draft;
use crate::run::isolate::Isolate;
use crate::runtime::{Runtime, RuntimeBuilder};
use crate::stores::files::OfferedFiles;

/// Which workspace a run has.
#[derive(Clone, Default)]
pub(crate) enum Options {
    /// Its principal's, if the runtime has any.
    #[default]
    Offered,
    /// This one.
    This(Arc<Tree>),
    /// None, and no folders.
    None,
}

/// The files that a run has.
#[derive(Default)]
pub(in crate::run) struct Open(RunFiles);

/// What a run has changed in its files.
pub(in crate::run) struct Changes {
    files: RunFiles,
    /// A dry run leaves no files.
    may_keep: bool,
    promises: Option<Promises>,
}

/// A run's files go by what it has read.
struct Labels(Arc<dyn Oversight>);

impl Isolate {
    /// Gives it this workspace, and not that of its [principal](Self::principal). What it writes is
    /// there for others when it has come to its end, all at once; a run that throws, hits a limit or
    /// is cancelled leaves nothing. `/tmp` stays in memory.
    pub fn workspace(mut self, workspace: Arc<Tree>) -> Self {
        self.request.stages.files = Options::This(workspace);
        self
    }

    /// Gives it no files, whatever the runtime has. It has those that it makes in memory.
    pub fn no_files(mut self) -> Self {
        self.request.stages.files = Options::None;
        self
    }
}

impl RuntimeBuilder {
    /// Where runs have files that outlive them: a workspace for each principal, or one for all.
    /// Default: none, and runs have only files in memory, which are gone with them.
    #[must_use]
    pub fn workspaces(mut self, workspaces: Workspaces) -> Self {
        self.stores.files.workspaces = Some(workspaces);
        self
    }

    /// Gives every run a folder that is there, as `/folders/NAME`: see [`Workspace::folder`](crate::Workspace::folder).
    #[must_use]
    pub fn folder(mut self, name: impl Into<String>, folder: Arc<Tree>) -> Self {
        self.stores.files.folders.push((name.into(), folder));
        self
    }
}

impl Runtime {
    /// The workspace of a principal, or that of nobody in particular: the files that its runs left.
    /// None if there are no [workspaces](RuntimeBuilder::workspaces) here.
    ///
    /// # Errors
    ///
    /// A host fault if its folder can't be used.
    pub fn workspace(&self, principal: Option<&Principal>) -> Result<Option<Arc<Tree>>, Error> {
        self.stores().files.workspace(principal)
    }

    /// Whether runs have [workspaces](RuntimeBuilder::workspaces).
    pub fn has_workspaces(&self) -> bool {
        self.stores().files.workspaces.is_some()
    }
}

impl OfferedFiles {
    /// Whether a run that asks for this has any files.
    fn gives(&self, options: &Options) -> bool {
        match options {
            Options::This(_) => true,
            Options::Offered => self.workspaces.is_some() || !self.folders.is_empty(),
            Options::None => false,
        }
    }

    /// What a run has of files; none if it has none.
    fn files(
        &self,
        options: Options,
        principal: Option<&Principal>,
    ) -> Result<Option<Arc<Files>>, Error> {
        let workspace = match options {
            Options::None => return Ok(None),
            Options::This(tree) => Some(tree),
            Options::Offered => self.workspace(principal)?,
        };
        if workspace.is_none() && self.folders.is_empty() {
            return Ok(None);
        }
        let files = Files::new(workspace, self.folders.clone());
        Ok(Some(Arc::new(files)))
    }
}

impl Options {
    /// Opens the files that the run has.
    pub(super) async fn open(self, draft: &mut Draft) -> Result<(), Error> {
        step("opens", "files");
        if !draft.runtime.stores().files.gives(&self) {
            return Ok(());
        }
        let (runtime, principal) = (draft.runtime.clone(), draft.setup.principal.clone());
        let open = move || runtime.stores().files.files(self, principal.as_ref());
        let opened = spawn_blocking(open).await;
        let opened = opened
            .unwrap_or_else(|error| Err(Error::host("the workspace was not opened", error)))?;
        draft.setup.files = opened.map_or(RunFiles::None, |files| RunFiles::Given(files, None));
        Ok(())
    }
}

impl Open {
    /// The run begins with the files of the draft.
    pub(super) fn start(draft: &Draft, governed: &governed::Open) -> Self {
        step("starts", "files");
        let files = draft.setup.files.clone();
        if let (Some(files), Some(oversight)) = (files.there(), governed.oversight()) {
            files.used_by(Labels(oversight));
        }
        Self(files)
    }

    /// What the run has changed.
    pub(super) fn changes(&self, is_dry_run: bool) -> Changes {
        Changes {
            files: self.0.clone(),
            may_keep: !is_dry_run,
            promises: None,
        }
    }

    /// The run is over for good: what it wrote is removed in the background.
    pub(super) fn close(self) {
        step("closes", "files");
        if let RunFiles::Given(files, _) = self.0 {
            spawn_blocking(move || drop(files));
        }
    }
}

impl Carrier for Labels {
    fn reads(&self, carried: &CarriedData) -> io::Result<()> {
        self.0.reads(carried).map_err(io::Error::other)
    }

    fn carried(&self) -> Option<CarriedData> {
        self.0.carried()
    }
}

impl Durable for Changes {
    fn name(&self) -> &'static str {
        "files"
    }

    fn is_little(&mut self) -> bool {
        matches!(self.files, RunFiles::None)
    }

    fn places(&self, end: &End) -> Places {
        match self.files.there() {
            Some(files) if self.may_keep && end.has_returned() => {
                let changed = files.places_changed();
                Places {
                    things: changed.len(),
                    first: changed.into_iter().next(),
                }
            }
            _ => Places::default(),
        }
    }

    /// Promises what the run wrote, if it came to its end. Where that can't be done, it has failed; and
    /// so has one that is run again, where the recorded one had.
    fn prepare(&mut self, end: &mut End) {
        if !end.has_returned() {
            return;
        }
        let promised = match &self.files {
            RunFiles::None => return,
            RunFiles::Given(files, heard) => {
                let changes = match heard {
                    Some(_) if self.may_keep => files.changes(),
                    _ => Vec::new(),
                };
                let promised = match self.may_keep {
                    true => files.promise(end.decision.clone()).map(Some),
                    false => Ok(None),
                };
                if let Some(heard) = heard {
                    if promised.is_ok() && !changes.is_empty() {
                        heard.changed(changes);
                    }
                    let answer = match &promised {
                        Ok(_) => Ok(FileAnswer::Done),
                        Err(problem) => Err(problem.clone()),
                    };
                    heard.heard(merge(), FileResponse { answer, spent: 0 });
                }
                promised
            }
            // Where the record has none, the run is another by now, as its listeners know.
            RunFiles::Replayed(teller) => match teller.told(&merge()).map(|told| told.answer) {
                Ok(Err(problem)) => Err(problem),
                _ => Ok(None),
            },
        };
        match promised {
            Ok(promises) => self.promises = promises,
            Err(problem) => end.outcome.ending = not_kept(&problem.advice_or_text()),
        }
    }

    fn promise(&mut self, _: &mut End, _: &Decision) -> Result<Vec<PathBuf>, String> {
        Ok((self.promises.as_ref()).map_or_else(Vec::new, Promises::files))
    }

    fn keep(&mut self, end: &mut End) {
        let Some(promises) = &mut self.promises else {
            return;
        };
        if end.decision.is_some() {
            promises.decided();
            later(promises.keep());
        } else if let Err(problem) = promises.keep() {
            end.outcome.ending = not_kept(&problem.advice_or_text());
        }
    }

    fn take_back(&mut self, end: &mut End, why: &str) {
        let promises = self.promises.take();
        if promises.is_some_and(|promises| !promises.is_empty()) {
            end.outcome.ending = not_kept(why);
        }
    }
}

/// What a record says of the end of a run's files.
fn merge() -> FileRequest {
    FileRequest {
        what: "merge",
        of: String::new(),
    }
}

/// How a run ends whose files are not kept.
fn not_kept(problem: &str) -> Ending {
    Ending::Threw(Thrown {
        name: "WorkspaceError".to_owned(),
        message: format!("The files that the script wrote are not kept: {problem}"),
        location: None,
        stack: String::new(),
        causes: Vec::new(),
    })
}
