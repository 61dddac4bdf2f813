//! A session that one run has to itself: what the run begins with, and what is promised of what it
//! leaves.

use std::path::PathBuf;

use ampoule_isolate::{
    Ending, Language, LeftPlace, LeftState, NameInMemory, Resume, Script, SessionEnd, Snapshot,
};
use ampoule_persistence::sessions::{
    Head, Session, SessionChange, SessionError, SessionMetadata, SessionVariable,
};
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Principal};

use crate::governed::CarriedData;
use crate::guests::GuestKind;
use crate::run::commit::End;
use crate::runtime::Runtime;
use crate::session::{SMALL, SessionStart, done, found, interpreter, now, taken};
use crate::stores::sessions::refused;

/// A session that one run has to itself.
pub(super) struct OpenSession {
    pub(super) session: Session,
    language: Language,
    /// The guest: that of its runs before, or the one that its first run wants.
    pub(super) guest: GuestKind,
    /// The hash of the guest.
    hash: String,
    /// The number of its newest run.
    pub(super) run: u64,
    left: LeftPlace,
    taken: Option<Result<LeftState, String>>,
    always: bool,
    /// What its runs had read who left what is there; and this one, at its end.
    pub(super) before: Vec<CarriedData>,
    pub(super) carried: Option<CarriedData>,
    /// Another run has come between this one's beginning and its end, which another process saw.
    pub(super) has_changed: bool,
}

/// What a run asks of its session.
pub(super) struct RunOfSession {
    /// It is kept where it throws, too.
    pub(super) always: bool,
    pub(super) language: Language,
    /// The guest that it runs in, if it is the first.
    pub(super) wanted: GuestKind,
}

/// What a session is about to have.
pub(super) struct SessionPromise {
    session: Session,
    forks: Vec<Session>,
    pub(super) end: SessionEnd,
}

impl OpenSession {
    /// Waits for a session, and finds what its next run begins with. Gives the number of that run,
    /// too.
    pub(super) async fn open(
        runtime: &Runtime,
        principal: Option<&Principal>,
        name: String,
        run: RunOfSession,
    ) -> Result<(Self, Resume), Error> {
        let RunOfSession {
            always,
            language,
            wanted,
        } = run;
        let shelf = runtime.sessions(principal)?;
        let session = taken(shelf, &name, runtime.slot_wait()).await?;
        let is_small = session.newest_bytes().map_err(refused)? <= SMALL;
        let SessionStart {
            session,
            before,
            guest,
            run,
            back,
            carried,
        } = done(is_small, {
            let guests = runtime.guests().clone();
            move || found(session, language, &guests)
        })
        .await?;
        let guest = guest.unwrap_or(wanted);
        let left = LeftPlace::default();
        let resume = Resume {
            name,
            back: back.try_into().unwrap_or(u32::MAX),
            before,
            always,
            left: left.clone(),
        };
        let opened = Self {
            session,
            language,
            guest,
            hash: runtime.guests().hash(guest)?.to_owned(),
            run,
            left,
            always,
            before: carried,
            carried: None,
            has_changed: false,
            taken: None,
        };
        Ok((opened, resume))
    }

    /// Whether the script asked for copies of it.
    pub(super) fn asks_for_copies(&self) -> bool {
        matches!(&self.taken, Some(Ok(left)) if !left.forks.is_empty())
    }

    /// Names the script so that errors tell it from those of the session's other runs.
    pub(super) fn name(&self, script: &mut Script) {
        if self.run > 0 {
            script.number(self.run + 1);
        }
    }

    /// The run has ended. Whether what it left is so little that it is kept in place.
    pub(super) fn leaves_little(&mut self) -> bool {
        self.taken = self.left.take();
        match &self.taken {
            Some(Ok(left)) => left.snapshot.bytes().len() as u64 <= SMALL,
            _ => true,
        }
    }

    /// Promises what the run left, if it is to be kept; or says in the outcome why it is not.
    pub(super) fn promise(mut self, end_of_run: &mut End) -> Option<SessionPromise> {
        let (outcome, decision) = (&mut end_of_run.outcome, end_of_run.decision.as_ref());
        let mut end = SessionEnd::unchanged(self.session.name(), self.run);
        let threw = matches!(outcome.ending, Ending::Threw(_));
        let left = match self.taken.take().filter(|_| self.always || !threw) {
            _ if self.has_changed => Err(
                "another run of the session ended first, while this run was parked and the host was down: what this run left is not stored".to_owned(),
            ),
            None => Err(self.why_nothing(&outcome.ending)),
            Some(Err(why)) => Err(format!("what the run left can't be stored: {why}")),
            Some(Ok(left)) => Ok(left),
        };
        let promised = left.and_then(|left| {
            let promised = self.promised(left, &mut end, decision);
            promised.map_err(|problem| problem.to_string())
        });
        match promised {
            Ok(forks) => Some(SessionPromise {
                session: self.session,
                forks,
                end,
            }),
            Err(why) => {
                end.notes.push(why);
                outcome.session = Some(end);
                None
            }
        }
    }

    /// Why a run that ended so left nothing.
    fn why_nothing(&self, ending: &Ending) -> String {
        let why = match ending {
            Ending::Threw(_) => "the script threw an error",
            Ending::Limit(_) => "the script hit a limit",
            Ending::Cancelled => "the run was cancelled",
            Ending::Interrupted(_) => "the run could not continue",
            _ => "the interpreter failed",
        };
        match (self.always, ending) {
            (true, Ending::Limit(_) | Ending::Cancelled) => {
                format!("{why}, in the middle of something")
            }
            _ => why.to_owned(),
        }
    }

    /// Promises what the run left. Gives the copies that the script asked for.
    fn promised(
        &mut self,
        left: LeftState,
        end: &mut SessionEnd,
        decision: Option<&Decision>,
    ) -> Result<Vec<Session>, SessionError> {
        let LeftState {
            snapshot,
            names,
            more,
            forks,
            rewind,
        } = left;
        let next = match rewind {
            Some(runs) => SessionChange::Rewound(runs as usize),
            None => SessionChange::Head(Box::new(self.head(snapshot, names, more))),
        };
        if let Some(carried) = &self.carried {
            self.session.carries(carried.clone());
        }
        end.bytes = self.session.promise(next, decision.cloned())?;
        end.kept = rewind.is_none();
        end.rewound = rewind.is_some();
        if end.rewound {
            end.notes
                .push("it was rewound, as the script asked".to_owned());
        }
        end.run = self.session.next_run().unwrap_or(self.run);
        let mut copies = Vec::new();
        for fork in forks {
            match self.session.forked(&fork, decision.cloned()) {
                Ok(copy) => {
                    end.notes.push(format!("`{fork}` is a copy of it"));
                    copies.push(copy);
                }
                Err(problem) => end
                    .notes
                    .push(format!("the copy `{fork}` was not made: {problem}")),
            }
        }
        Ok(copies)
    }

    /// What the run left, as a head.
    fn head(&self, snapshot: Snapshot, names: Vec<NameInMemory>, more: u32) -> Head {
        let name = |kept: NameInMemory| SessionVariable {
            name: kept.name,
            kind: kept.kind,
            size: kept.size,
        };
        let mut about = SessionMetadata::new(
            self.hash.clone(),
            interpreter(self.language).to_owned(),
            now(),
        );
        about.memory_bytes = snapshot.memory_bytes();
        about.names = names.into_iter().map(name).collect();
        about.more = more;
        about.carried.clone_from(&self.carried);
        Head {
            about,
            memory: snapshot.into_bytes(),
        }
    }
}

impl SessionPromise {
    /// The files that its promises are in.
    pub(super) fn files(&self) -> Result<Vec<PathBuf>, SessionError> {
        let all = std::iter::once(&self.session).chain(&self.forks);
        all.map(Session::promise_file).collect()
    }

    /// What was promised is so from now on.
    pub(super) fn fulfil(&mut self) -> Result<(), SessionError> {
        self.session.fulfil()?;
        if self.forks.is_empty() {
            return Ok(());
        }
        for mut fork in self.forks.drain(..) {
            fork.fulfil()?;
        }
        self.session.trim()
    }

    /// What was promised does not become so, and this is why.
    pub(super) fn take_back(&mut self, why: &str) -> SessionEnd {
        for session in self.forks.iter_mut().chain([&mut self.session]) {
            session.take_back();
        }
        let heads = self.session.heads();
        let run = heads.ok().and_then(|heads| heads.last().copied());
        let mut end = SessionEnd::unchanged(self.session.name(), run.unwrap_or(0));
        end.notes.push(why.to_owned());
        end
    }
}
