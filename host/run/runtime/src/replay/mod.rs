//! Running a recorded run again. `notes`: what there is to say of its record.

mod notes;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ampoule_isolate::{
    Code, Language, LeftPlace, Listener, Observers, Resume, RunEvent, Script, Snapshot,
};
use ampoule_limits::Limits;
use ampoule_persistence::sessions::Shelf;
use ampoule_records::{Record, ReplayOptions, ReplayReport, ReplaySetup, SessionOrigin};
use ampoule_tools::{Catalog, Error, Principal, RunId};
use tokio::task::spawn_blocking;
use tokio::time::sleep;

use self::notes::{blots, other_build};
use crate::governed::{ExecutionMode, GovernedRun, RunStart};
use crate::guests::GuestKind;
use crate::record::{build, hash};
use crate::run::isolate::ReplayInputs;
use crate::runtime::Runtime;
use crate::stores::records::refused;
use crate::stores::sessions;

/// How long a script that has become another than the recorded one may continue, so that its error
/// tells where it was.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A recorded run, to be run again: nothing is called, and it sees what it saw then.
///
/// Made by [`Runtime::replay`].
#[must_use = "nothing happens until it runs"]
pub struct Rerun {
    runtime: Runtime,
    record: Record,
    until: Option<u32>,
    edited: Option<Code>,
    listener: Option<Listener>,
}

impl Runtime {
    /// Runs a recorded run again, without calling anything: its calls are answered as they were,
    /// its clocks and its entropy are those of then, and so it comes to the same, to the last byte.
    /// If not, the first difference is reported. What this runtime has of bindings and layers is
    /// not used.
    pub fn replay(&self, record: Record) -> Rerun {
        Rerun {
            runtime: self.clone(),
            record,
            until: None,
            edited: None,
            listener: None,
        }
    }
}

impl Rerun {
    /// Stops before that call, counted from 0.
    pub fn until(mut self, call: u32) -> Self {
        self.until = Some(call);
        self
    }

    /// Runs another source of the main module against the recorded answers: each call gets the
    /// answer of the first recorded one that has the same tool and arguments, and was not given
    /// yet. It waits for nothing: time continues by itself.
    ///
    /// # Errors
    ///
    /// A request error if the recorded code is not a script, or the record is damaged.
    pub fn edited(mut self, source: impl Into<String>) -> Result<Self, Error> {
        self.edited = Some(self.script()?.with_source(source).into());
        Ok(self)
    }

    /// The same of the source in a file, by whose name messages call it.
    ///
    /// # Errors
    ///
    /// The same; and a request error if files of that name are in another language.
    pub fn edited_file(mut self, file: &Path, source: impl Into<String>) -> Result<Self, Error> {
        let script = self.script()?;
        let recorded = script.language();
        if let Some(language) = Language::of_file(file)
            && language.interpreter() != recorded.interpreter()
        {
            return Err(Error::request(format!(
                "the file is in {}, and the recorded script in {}: change a copy of that",
                language.title(),
                recorded.title()
            )));
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        self.edited = Some(script.with_source(source).named(name).into());
        Ok(self)
    }

    fn script(&self) -> Result<Script, Error> {
        match self.record.program.code().map_err(refused)? {
            Code::Script(script) => Ok(script),
            Code::Component(_) => Err(Error::request(
                "the record is of a component, which has no source to change",
            )),
            Code::Call(_) => Err(Error::request(
                "the record is of one call without a script, so there is no source to change",
            )),
            Code::Undo(_) => Err(Error::request(
                "the record is of an undo, which has no source to change",
            )),
        }
    }

    /// Tells `listener` what happens, as [`Isolate::on_event`](crate::Isolate::on_event) does.
    pub fn on_event(mut self, listener: impl FnMut(&RunEvent) + Send + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }

    /// Runs it to its end, or to the first difference.
    ///
    /// # Errors
    ///
    /// A request error if the record is damaged, or what its session was is not there any more; host
    /// faults.
    pub async fn run(self) -> Result<ReplayReport, Error> {
        let Self {
            runtime,
            record,
            until,
            edited,
            listener,
        } = self;
        let code = match &edited {
            Some(code) => code.clone(),
            None => record.program.code().map_err(refused)?,
        };
        let mut notes = Vec::new();
        let (mut code, is_edited) = (code, edited.is_some());
        let guest = guest(&runtime, &record, &code, is_edited);
        notes.extend(other_build(&record, &build(&runtime, &code, guest)));
        notes.extend(blots(&record));
        let limits = limits(&runtime, &record, is_edited, &mut notes)?;
        let session = match record.program.session.clone() {
            None => None,
            Some(session) => Some(Box::new(
                resumed(&runtime, &record, session, guest, &mut code).await?,
            )),
        };
        let how = ReplayOptions {
            until,
            edited: is_edited,
            component: matches!(code, Code::Component(_)),
        };
        let (grant, rerun) = (record.program.grant.clone(), ReplaySetup::of(record, how));
        let damaged = |same: ampoule_tools::DuplicateNameError| {
            Error::request(format!("the record is damaged: {same}"))
        };
        let catalog = Catalog::new(rerun.bindings()).map_err(damaged)?;
        let isolate = runtime
            .isolate(code)
            .in_guest(guest)
            .replaying(ReplayInputs {
                catalog,
                session,
                files: Some(rerun.files()),
                is_live: false,
            })
            .grant(grant)
            .limits(limits)?
            .layer(rerun.layer())
            .world(rerun.world())
            .record(ampoule_records::Keep::None);
        let mut shown = Box::pin(shown(&runtime, rerun.record())).await?;
        let (listener, isolate) = match listener {
            Some(listener) if shown.is_none() => (None, isolate.on_event(listener)),
            listener => (listener, isolate),
        };
        let run = isolate.start().await?;
        if let Some(shown) = &mut shown {
            let mut observers = Observers::of(run.id());
            observers.listener(listener);
            shown.tell(run.events(), observers);
        }
        let cancel = run.canceller();
        let outcome = run.outcome();
        tokio::pin!(outcome);
        let outcome = tokio::select! {
            biased;
            outcome = &mut outcome => outcome?,
            at_once = rerun.stops() => {
                if !at_once {
                    tokio::select! {
                        biased;
                        outcome = &mut outcome => return as_shown(rerun.judged(outcome?, notes), shown).await,
                        () = sleep(LAST_WORDS) => {}
                    }
                }
                cancel.cancel();
                outcome.await?
            }
        };
        as_shown(rerun.judged(outcome, notes), shown).await
    }
}

/// What governs what is shown of a record that is run again: it may tell what the run had read.
async fn shown(runtime: &Runtime, record: &Record) -> Result<Option<Box<dyn GovernedRun>>, Error> {
    let Some(governor) = runtime.governor() else {
        return Ok(None);
    };
    let start = RunStart {
        id: RunId::new(),
        principal: record.head.principal.clone().map(Principal::new),
        client: None,
        toolkit: (record.program.grant.toolkit()).map(|toolkit| Arc::clone(toolkit.name())),
        tokens: None,
        session: None,
        language: record.head.language.clone(),
        script: record.head.run.clone(),
        own: Vec::new(),
        carried: record.ended.carried.iter().cloned().collect(),
        mode: ExecutionMode::Normal,
        is_resumed: false,
        undoes: None,
    };
    governor.start(start).await
}

/// What came of it, as far as that may be shown.
async fn as_shown(
    mut replayed: ReplayReport,
    shown: Option<Box<dyn GovernedRun>>,
) -> Result<ReplayReport, Error> {
    let Some(shown) = shown else {
        return Ok(replayed);
    };
    let told = (&replayed.difference, &replayed.stopped);
    let told = serde_json::to_string(&told).unwrap_or_default();
    if shown.oversight().may_show(&[&told]).await.is_err() {
        replayed = replayed.without_texts();
    }
    replayed.outcome = shown.end(Ok(replayed.outcome)).await?;
    Ok(replayed)
}

/// The guest that a script is run again in: that in which it ran, if it is here. One that was edited
/// may need another, unless it begins with what its session had.
fn guest(runtime: &Runtime, record: &Record, code: &Code, is_edited: bool) -> GuestKind {
    let Code::Script(script) = code else {
        return GuestKind::JavaScript;
    };
    let guests = runtime.guests();
    let session = record.program.session.as_ref();
    let keeps = !is_edited || session.is_some_and(|session| session.memory.is_some());
    let known = guests.with_hash(script.language(), &record.head.build.guest);
    known
        .filter(|_| keeps)
        .unwrap_or_else(|| guests.of_script(script))
}

/// The limits that the run had, as far as there are such here. One that was cut short ends where it
/// was, if it computed then.
fn limits(
    runtime: &Runtime,
    record: &Record,
    is_edited: bool,
    notes: &mut Vec<String>,
) -> Result<Limits, Error> {
    let recorded = record.program.limits().map_err(refused)?;
    let mut limits = recorded.lowered_to(runtime.ceilings());
    if limits != recorded {
        notes.push("the run had higher limits than the ceilings here allow".to_owned());
    }
    if record.was_cut_short() && !is_edited {
        limits.fuel = record.ended.fuel.clamp(1, limits.fuel);
    }
    Ok(limits)
}

/// What the run of a session began with, if the session still has it.
async fn resumed(
    runtime: &Runtime,
    record: &Record,
    session: SessionOrigin,
    guest: GuestKind,
    code: &mut Code,
) -> Result<Resume, Error> {
    // Its main module is called as it was then; the record has its name without the number.
    let Code::Script(script) = code else {
        return Err(Error::request(
            "the record is damaged: only scripts have a session",
        ));
    };
    if session.run > 0 {
        script.number(session.run + 1);
    }
    let guest = runtime.guests().hash(guest)?;
    if session.memory.is_some() && record.head.build.guest != guest {
        return Err(Error::request(format!(
            "the run began with a state of the session `{}` that is of another interpreter, or of one with other packages: the run can't be replayed",
            session.name
        )));
    }
    let before = match session.memory.clone() {
        None => None,
        Some(memory) => {
            let principal = record.head.principal.clone().map(Principal::new);
            let shelf = runtime.sessions(principal.as_ref())?;
            let name = session.name.clone();
            let found = spawn_blocking(move || head(&shelf, &name, &memory)).await;
            let found =
                found.map_err(|error| Error::host("a session could not be read", error))??;
            Some(found)
        }
    };
    Ok(Resume {
        name: session.name,
        back: session.back,
        before,
        always: session.always,
        left: LeftPlace::default(),
    })
}

/// The memory of that hash among a session's heads.
fn head(shelf: &Arc<Shelf>, name: &str, memory: &str) -> Result<Snapshot, Error> {
    let session = shelf.take(name).map_err(sessions::refused)?;
    let heads = session.heads().map_err(sessions::refused)?;
    for &number in heads.iter().rev() {
        // One that can't be read is not the one.
        let Ok(head) = session.head(number) else {
            continue;
        };
        if hash(&head.memory) == memory {
            return Snapshot::read(head.memory)
                .map_err(|_| session.damaged("its memory can't be read"))
                .map_err(sessions::refused);
        }
    }
    Err(Error::request(format!(
        "the run began with a state of the session `{name}` that is no longer stored: the run can't be replayed"
    )))
}
