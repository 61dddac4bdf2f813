//! Runs that leave a record.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use ampoule_isolate::{Code, RunFiles, RunSetup};
use ampoule_records::{Head, Keep, Program, Recorder, SessionOrigin};
use ampoule_store::commit::Decision;
use ampoule_tools::{Catalog, RunId};
use tokio::task::{JoinHandle, spawn_blocking};

use super::{session, step};
use crate::clock;
use crate::record::{build, hash, language};
use crate::run::commit::{Durable, End, Places};
use crate::run::draft::Draft;
use crate::run::isolate::{Isolate, Request};

/// Whether a run leaves a record.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// When it does, if that is not as the runtime says.
    pub(crate) keep: Option<Keep>,
}

/// What is to write the record of a run, if there is to be one.
pub(in crate::run) struct Preparation(Option<Box<Recording>>);

/// What writes the record of a run, if there is to be one.
#[derive(Default)]
pub(in crate::run) struct Open {
    recording: Option<Box<Recording>>,
    /// What is written before the run begins.
    description: Option<Box<(Head, Program)>>,
}

/// A run that is recorded.
struct Recording {
    id: RunId,
    recorder: Recorder,
    keep: Keep,
    place: Arc<Path>,
}

impl Isolate {
    /// Whether it leaves a record, in a runtime that has [room](crate::RuntimeBuilder::records) for
    /// some. Default: as the runtime says.
    pub fn record(mut self, keep: Keep) -> Self {
        self.request.stages.record.keep = Some(keep);
        self
    }
}

impl Preparation {
    /// Puts what writes the record around what the run sees: its catalog, its layers, its world.
    pub(super) fn of(isolate: &mut Isolate, catalog: &mut Catalog) -> Self {
        let Some(recording) = Recording::of(isolate) else {
            return Self(None);
        };
        let hooks = &mut isolate.request.hooks;
        *catalog = recording.recorder.watch(catalog);
        hooks.layers = hooks.layers.within(recording.recorder.layer());
        hooks.world = Some(recording.recorder.world(hooks.world.take()));
        Self(Some(Box::new(recording)))
    }

    /// Describes the run, with the skills that its script imports, and before its session numbers the
    /// script.
    pub(super) fn open(self, draft: &Draft) -> Open {
        step("opens", "record");
        let description = self.0.as_ref().map(|recording| {
            let (code, setup) = (&draft.code, &draft.setup);
            let id = recording.id.to_string();
            let mut head = Head::new(
                id,
                clock::now(),
                language(code),
                build(&draft.runtime, code, draft.guest()),
            );
            let principal = setup.principal.as_ref();
            head.principal = principal.map(|principal| principal.name().to_string());
            head.toolkit = draft.toolkit().map(|toolkit| toolkit.to_string());
            let program = Program::new(code, draft.access.grant.clone(), &setup.limits);
            Box::new((head, program))
        });
        Open {
            recording: self.0,
            description,
        }
    }
}

impl Recording {
    /// The recording of a run, if it is to leave a record. A dry run leaves none, and neither does the
    /// rest of a run, which can't be run again.
    fn of(isolate: &Isolate) -> Option<Self> {
        let Request {
            code,
            caller,
            stages,
            ..
        } = &isolate.request;
        let records = isolate.runtime.stores().records.as_ref()?;
        let keep = stages.record.keep.unwrap_or(records.options.keep);
        if keep == Keep::None || stages.governed.mode.is_dry_run() || isolate.origin.is_parked() {
            return None;
        }
        if let Code::Component(component) = code
            && component.has_folders()
        {
            tracing::warn!(
                "the run leaves no record: a record can't have the content of its folders"
            );
            return None;
        }
        let shelf = records.shelf(caller.principal.as_ref());
        let shelf = shelf.inspect_err(|error| {
            tracing::warn!(%error, "the run leaves no record");
        });
        let shelf = shelf.ok()?;
        let place = shelf.path().into();
        let recorder = Recorder::new(shelf, isolate.id.to_string(), &records.options.secrets);
        Some(Self {
            id: isolate.id,
            recorder,
            keep,
            place,
        })
    }
}

impl Open {
    /// The run begins, with what an earlier one of its session left, and with its files, of which the
    /// record hears from now on.
    pub(super) async fn start(&mut self, draft: &mut Draft, session: &session::Open) {
        step("starts", "record");
        if let (Some(description), Some(_)) = (&mut self.description, session.newest()) {
            // A session keeps to the guest that it began with.
            description.0.build = build(&draft.runtime, &draft.code, draft.guest());
        }
        if let Some(begun) = self.begin(&mut draft.setup, session.newest()) {
            // Where the process ends, so does the record.
            let _ = begun.await;
        }
    }

    /// Begins to write, if there is to be a record.
    fn begin(&mut self, setup: &mut RunSetup, session_run: Option<u64>) -> Option<JoinHandle<()>> {
        let recorder = self.recording.as_ref()?.recorder.clone();
        let (head, mut program) = *self.description.take()?;
        if let RunFiles::Given(_, observer) = &mut setup.files {
            *observer = Some(recorder.files());
        }
        let files = setup.files.there();
        program.files = files.is_some();
        program.folders_alone = files.is_some_and(|files| !files.have_workspace());
        let session = session_run.zip(setup.session.as_deref());
        program.session = session.map(|(run, resume)| SessionOrigin {
            name: resume.name.clone(),
            back: resume.back,
            always: resume.always,
            run,
            memory: resume.before.as_ref().map(|before| hash(before.bytes())),
        });
        Some(spawn_blocking(move || recorder.begin(head, program)))
    }
}

impl Durable for Open {
    fn name(&self) -> &'static str {
        "record"
    }

    fn is_little(&mut self) -> bool {
        self.recording.is_none()
    }

    fn places(&self, _: &End) -> Places {
        (self.recording.as_ref()).map_or_else(Places::default, |recording| Places {
            things: 1,
            first: Some(recording.place.to_path_buf()),
        })
    }

    fn promise(&mut self, end: &mut End, decision: &Decision) -> Result<Vec<PathBuf>, String> {
        let Some(recording) = &self.recording else {
            return Ok(Vec::new());
        };
        let (carried, keep) = (end.carried(), recording.keep);
        let recorder = &recording.recorder;
        let promise = recorder.promise(&end.outcome, carried, keep, decision);
        Ok(promise.into_iter().collect())
    }

    /// A record says how a run ended, so there is none of one that did not end as it says: there
    /// is nothing to take back.
    fn keep(&mut self, end: &mut End) {
        let Some(Recording {
            id, recorder, keep, ..
        }) = self.recording.as_deref()
        else {
            return;
        };
        let is_kept = match end.decision {
            None => recorder.finish(&end.outcome, end.carried(), *keep),
            Some(_) => {
                recorder.decided();
                recorder.fulfil()
            }
        };
        if is_kept {
            end.outcome.record = Some(*id);
        }
    }
}
