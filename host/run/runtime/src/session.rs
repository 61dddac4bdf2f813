//! The sessions of a runtime, and what is found in one. A run of one is in `run/stages/session`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ampoule_isolate::{Interpreter, Language, Snapshot};
use ampoule_persistence::sessions::{
    Head, Session, SessionError, SessionLimits, SessionMetadata, Shelf,
};
use ampoule_tools::{Error, Principal};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use crate::governed::CarriedData;
use crate::guests::{GuestKind, Guests};
use crate::runtime::{Runtime, RuntimeBuilder};
use crate::stores::sessions::{SessionStore, refused};

/// How long a run that waits for a session lets pass before it looks again: at first, and at most.
const LOOKS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

/// How large a head is at most that is read and written in place, in bytes: that takes less time than
/// to have another thread do it.
pub(crate) const SMALL: u64 = 128 << 10;

impl RuntimeBuilder {
    /// Where sessions are kept, and what they may take. Nobody else may be able to read the folder.
    /// Default: nowhere, and there are none.
    #[must_use]
    pub fn sessions(mut self, folder: impl Into<PathBuf>, limits: SessionLimits) -> Self {
        self.stores.sessions = Some(SessionStore::new(folder.into(), limits));
        self
    }
}

impl Runtime {
    /// The sessions of a principal, or those of nobody in particular: what their runs left.
    ///
    /// # Errors
    ///
    /// A request error if there are no [sessions](RuntimeBuilder::sessions) here; a host fault if
    /// their folder can't be used.
    pub fn sessions(&self, principal: Option<&Principal>) -> Result<Arc<Shelf>, Error> {
        let store = self.stores().sessions.as_ref();
        let store = store.ok_or_else(|| Error::request("this host keeps no sessions"))?;
        store.shelf(principal)
    }

    /// The language of a script that nobody named: what the code [looks like](Language::of_code), or
    /// that of the session which it is to be a run of.
    pub fn language_of(
        &self,
        code: &str,
        principal: Option<&Principal>,
        session: Option<&str>,
    ) -> Language {
        match session {
            Some(name) => language_of(self, principal, name, code),
            None => Language::of_code(code),
        }
    }
}

/// The language of a script that nobody named: what it looks like, unless its session has that of
/// another interpreter.
fn language_of(
    runtime: &Runtime,
    principal: Option<&Principal>,
    name: &str,
    code: &str,
) -> Language {
    let looked = Language::of_code(code);
    let shelf = runtime.sessions(principal).ok();
    // What is wrong with a session is said where its run begins.
    let about = shelf.and_then(|shelf| shelf.about(name).ok().flatten());
    let known = |about: SessionMetadata| {
        let all = [looked, Language::TypeScript, Language::Python];
        all.into_iter()
            .find(|&language| interpreter(language) == about.language)
    };
    about.and_then(known).unwrap_or(looked)
}

/// Waits until nobody else has a session.
pub(crate) async fn taken(shelf: Arc<Shelf>, name: &str, wait: Duration) -> Result<Session, Error> {
    let (until, mut look) = (Instant::now() + wait, LOOKS[0]);
    loop {
        match shelf.take(name) {
            Err(SessionError::Busy(_)) if Instant::now() < until => {}
            Err(busy @ SessionError::Busy(_)) => {
                return Err(Error::busy(busy.to_string(), Duration::from_secs(1)));
            }
            taken => return taken.map_err(refused),
        }
        sleep(look).await;
        look = (look * 2).min(LOOKS[1]);
    }
}

/// A session, and what its next run begins with.
pub(crate) struct SessionStart {
    pub(crate) session: Session,
    pub(crate) before: Option<Snapshot>,
    /// The guest of its runs, if it has had any.
    pub(crate) guest: Option<GuestKind>,
    /// The number of its newest run.
    pub(crate) run: u64,
    /// How many runs it can go back.
    pub(crate) back: usize,
    pub(crate) carried: Vec<CarriedData>,
}

pub(crate) fn found(
    session: Session,
    language: Language,
    guests: &Guests,
) -> Result<SessionStart, SessionError> {
    let (newest, back) = (session.newest()?, session.back()?);
    let mut carried = Vec::from_iter(session.carried()?.cloned());
    let Some(Head { about, memory }) = newest else {
        return Ok(SessionStart {
            session,
            before: None,
            guest: None,
            run: 0,
            back,
            carried,
        });
    };
    if about.language != interpreter(language) {
        return Err(SessionError::OtherLanguage {
            name: session.name().to_owned(),
            language: about.language,
        });
    }
    let Some(guest) = guests.with_hash(language, &about.guest) else {
        return Err(SessionError::OtherGuest {
            language: about.language,
        });
    };
    let snapshot =
        Snapshot::read(memory).map_err(|_| session.damaged("its memory can't be read"))?;
    carried.extend(about.carried);
    Ok(SessionStart {
        session,
        before: Some(snapshot),
        guest: Some(guest),
        run: about.run,
        back,
        carried,
    })
}

/// Does work with files: here, where there is little of it.
pub(crate) async fn done<T: Send + 'static>(
    is_small: bool,
    work: impl FnOnce() -> Result<T, SessionError> + Send + 'static,
) -> Result<T, Error> {
    if is_small {
        return work().map_err(refused);
    }
    let done = spawn_blocking(work).await;
    let done = done.map_err(|error| Error::host("a session's files were not read", error))?;
    done.map_err(refused)
}

/// What people call an interpreter.
pub(crate) fn interpreter(language: Language) -> &'static str {
    match language.interpreter() {
        Interpreter::JavaScript => "JavaScript",
        Interpreter::Python => "Python",
    }
}

pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
