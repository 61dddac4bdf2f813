//! Runs of a session: what they begin with, and what becomes of what they leave.

use std::ops::ControlFlow;
use std::path::PathBuf;

use ampoule_isolate::{
    Code, Ending, Language, Left, LeftPlace, Outcome, Resume, Script, SessionEnd, Snapshot,
};
use ampoule_sessions::{About, Head, KeptName, Next, Problem, Session};
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Principal};

use super::{Cancelled, never_begun, step};
use crate::governed::Carried;
use crate::run::commit::{Durable, End, Places, later};
use crate::run::draft::Draft;
use crate::run::isolate::Isolate;
use crate::runtime::Runtime;
use crate::session::{Found, SMALL, done, found, interpreter, now, refused, taken};
use crate::shard;

/// Which session a run is one of.
#[derive(Clone, Default)]
pub(crate) struct Options {
    /// Its name; none of a run that is of no session.
    pub(crate) name: Option<String>,
    /// A run that throws is kept, too.
    pub(crate) keeps_always: bool,
}

/// The session of a run, until what the run leaves is promised; and what is promised from then on.
#[derive(Default)]
pub(in crate::run) struct Open {
    opened: Option<Box<OpenSession>>,
    promised: Option<Promised>,
}

/// A session that one run has to itself.
struct OpenSession {
    session: Session,
    language: Language,
    /// The number of its newest run.
    run: u64,
    left: LeftPlace,
    taken: Option<Result<Left, String>>,
    always: bool,
    /// What its runs had read who left what is there; and this one, at its end.
    before: Vec<Carried>,
    carried: Option<Carried>,
    /// Another run has come between this one's beginning and its end, which another process saw.
    has_changed: bool,
}

/// What a session is about to have.
struct Promised {
    session: Session,
    forks: Vec<Session>,
    end: SessionEnd,
}

impl Isolate {
    /// Makes it a run of a session: the script finds what the [kept](crate::SessionEnd::kept) runs of
    /// this name left, of the same [principal](Self::principal), and leaves its own top-level names
    /// to the next one. It is kept if it comes to its end: a run that throws, hits a limit or is
    /// cancelled leaves the session as it was. One run of a session is under way at a time; others
    /// wait, as long as they would for an isolate. The grant and the limits are the run's own, as
    /// are its clocks and its entropy.
    pub fn session(mut self, name: impl Into<String>) -> Self {
        self.request.stages.session.name = Some(name.into());
        self
    }

    /// Keeps what a run of a session left where it threw, too. After a limit, and where it was
    /// cancelled, there is nothing to keep: it was in the middle of something.
    pub fn keep_always(mut self) -> Self {
        self.request.stages.session.keeps_always = true;
        self
    }
}

impl Options {
    /// Waits for the session, and puts what the run begins with into the draft. Breaks off where the
    /// run is cancelled meanwhile.
    pub(super) async fn open(
        self,
        draft: &mut Draft,
        cancelled: &mut impl Cancelled,
    ) -> Result<ControlFlow<Outcome, Open>, Error> {
        step("opens", "session");
        let Some(name) = self.name else {
            return Ok(ControlFlow::Continue(Open::default()));
        };
        tokio::select! {
            biased;
            // Apart, since most runs are of no session: what this keeps would be in all of them.
            opened = Box::pin(Open::of(name, self.keeps_always, draft)) => opened.map(ControlFlow::Continue),
            () = cancelled => Ok(ControlFlow::Break(never_begun())),
        }
    }
}

impl Open {
    async fn of(name: String, always: bool, draft: &mut Draft) -> Result<Self, Error> {
        let Code::Script(script) = &mut draft.code else {
            return Err(Error::request("a component can't be a run of a session"));
        };
        let principal = draft.setup.principal.as_ref();
        let opening =
            OpenSession::open(&draft.runtime, principal, (name, always), script.language());
        let (opened, resume) = opening.await?;
        opened.name(script);
        draft.setup.session = Some(Box::new(resume));
        Ok(Self {
            opened: Some(Box::new(opened)),
            promised: None,
        })
    }

    /// The number of the session's newest run when this one began; none of a run that is of no
    /// session.
    pub(super) fn newest(&self) -> Option<u64> {
        Some(self.opened.as_ref()?.run)
    }

    /// The run is one that began when this was the session's newest.
    pub(super) fn since(&mut self, run: u64) {
        if let Some(opened) = &mut self.opened {
            opened.has_changed = opened.run != run;
        }
    }

    /// What the session's runs have read, as far as policies care; those, too, of which nothing is
    /// left.
    pub(super) fn carried(&self) -> impl Iterator<Item = &Carried> {
        self.opened.iter().flat_map(|opened| &opened.before)
    }
}

impl Durable for Open {
    fn name(&self) -> &'static str {
        "session"
    }

    fn is_little(&mut self) -> bool {
        self.opened
            .as_mut()
            .is_none_or(|opened| opened.leaves_little())
    }

    fn places(&self, _: &End) -> Places {
        let Some(opened) = &self.opened else {
            return Places::default();
        };
        Places {
            things: 1 + usize::from(opened.asks_for_copies()),
            first: Some(opened.session.place().to_owned()),
        }
    }

    fn prepare(&mut self, end: &mut End) {
        if let Some(mut opened) = self.opened.take() {
            opened.carried = end.carried();
            self.promised = opened.promise(end);
        }
    }

    fn announce(&self, end: &End) -> Result<(), String> {
        match (end.oversight(), &self.promised) {
            (Some(oversight), Some(promised)) => oversight.leaves(&promised.end),
            _ => Ok(()),
        }
    }

    fn promise(&mut self, end: &mut End, _: &Decision) -> Result<Vec<PathBuf>, String> {
        let Some(promised) = &self.promised else {
            return Ok(Vec::new());
        };
        end.outcome.session = Some(promised.end.clone());
        promised.files().map_err(|problem| problem.to_string())
    }

    fn keep(&mut self, end: &mut End) {
        let Some(promised) = &mut self.promised else {
            return;
        };
        let kept = promised.fulfil();
        if end.decision.is_some() {
            later(kept);
        } else {
            end.outcome.session = Some(match kept {
                Ok(()) => promised.end.clone(),
                Err(problem) => promised.take_back(&problem.to_string()),
            });
        }
    }

    fn take_back(&mut self, end: &mut End, why: &str) {
        if let Some(mut promised) = self.promised.take() {
            end.outcome.session = Some(promised.take_back(why));
        }
    }
}

impl OpenSession {
    /// Waits for a session, and finds what its next run begins with. Gives the number of that run,
    /// too.
    async fn open(
        runtime: &Runtime,
        principal: Option<&Principal>,
        (name, always): (String, bool),
        language: Language,
    ) -> Result<(Self, Resume), Error> {
        let shelf = runtime.sessions(principal)?;
        let session = taken(shelf, &name, runtime.slot_wait()).await?;
        let is_small = session.newest_bytes().map_err(refused)? <= SMALL;
        let Found {
            session,
            before,
            run,
            back,
            carried,
        } = done(is_small, move || found(session, language)).await?;
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
    fn asks_for_copies(&self) -> bool {
        matches!(&self.taken, Some(Ok(left)) if !left.forks.is_empty())
    }

    /// Names the script so that errors tell it from those of the session's other runs.
    fn name(&self, script: &mut Script) {
        if self.run > 0 {
            script.number(self.run + 1);
        }
    }

    /// The run has ended. Whether what it left is so little that it is kept in place.
    fn leaves_little(&mut self) -> bool {
        self.taken = self.left.take();
        match &self.taken {
            Some(Ok(left)) => left.snapshot.bytes().len() as u64 <= SMALL,
            _ => true,
        }
    }

    /// Promises what the run left, if it is to be kept; or says in the outcome why it is not.
    fn promise(mut self, end_of_run: &mut End) -> Option<Promised> {
        let (outcome, decision) = (&mut end_of_run.outcome, end_of_run.decision.as_ref());
        let mut end = SessionEnd::unchanged(self.session.name(), self.run);
        let threw = matches!(outcome.ending, Ending::Threw(_));
        let left = match self.taken.take().filter(|_| self.always || !threw) {
            _ if self.has_changed => Err(
                "another run of it came between, while this one was parked and the host was gone: what this one left is not kept".to_owned(),
            ),
            None => Err(self.why_nothing(&outcome.ending)),
            Some(Err(why)) => Err(format!("what the run left can't be kept: {why}")),
            Some(Ok(left)) => Ok(left),
        };
        let promised = left.and_then(|left| {
            let promised = self.promised(left, &mut end, decision);
            promised.map_err(|problem| problem.to_string())
        });
        match promised {
            Ok(forks) => Some(Promised {
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
            Ending::Interrupted(_) => "the run could not go on",
            _ => "the interpreter broke off",
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
        left: Left,
        end: &mut SessionEnd,
        decision: Option<&Decision>,
    ) -> Result<Vec<Session>, Problem> {
        let Left {
            snapshot,
            names,
            more,
            forks,
            rewind,
        } = left;
        let next = match rewind {
            Some(runs) => Next::Rewound(runs as usize),
            None => Next::Head(Box::new(self.head(snapshot, (names, more)))),
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
                    .push(format!("there is no copy `{fork}`: {problem}")),
            }
        }
        Ok(copies)
    }

    /// What the run left, as a head.
    fn head(
        &self,
        snapshot: Snapshot,
        (names, more): (Vec<ampoule_isolate::KeptName>, u32),
    ) -> Head {
        let name = |kept: ampoule_isolate::KeptName| KeptName {
            name: kept.name,
            kind: kept.kind,
            size: kept.size,
        };
        let mut about = About::new(
            shard::guest_hash(self.language).to_owned(),
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

impl Promised {
    /// The files that its promises are in.
    fn files(&self) -> Result<Vec<PathBuf>, Problem> {
        let all = std::iter::once(&self.session).chain(&self.forks);
        all.map(Session::promise_file).collect()
    }

    /// What was promised is so from now on.
    fn fulfil(&mut self) -> Result<(), Problem> {
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
    fn take_back(&mut self, why: &str) -> SessionEnd {
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
