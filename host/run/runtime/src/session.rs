//! Runs of a session: what they begin with, and what becomes of what they leave.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ampoule_isolate::{
    Ending, Interpreter, Language, Left, LeftPlace, Outcome, Resume, Script, SessionEnd, Snapshot,
};
use ampoule_sessions::{About, Head, KeptName, Next, Problem, Session, Shelf};
use ampoule_store::commit::Decision;
use ampoule_tools::{Error, Principal};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use crate::governed::Carried;
use crate::runtime::Runtime;
use crate::shard;

/// How long a run that waits for a session lets pass before it looks again: at first, and at most.
const LOOKS: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

/// How large a head is at most that is read and written in place, in bytes: that takes less time than
/// to have another thread do it.
const SMALL: u64 = 128 << 10;

/// The session that a run is to be one of.
pub(crate) struct Wanted {
    pub(crate) name: String,
    /// A run that throws is kept, too.
    pub(crate) always: bool,
}

/// A session that one run has to itself.
pub(crate) struct Opened {
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
pub(crate) struct Promised {
    session: Session,
    forks: Vec<Session>,
    pub(crate) end: SessionEnd,
}

impl Opened {
    /// It is for a run that began when this was the session's newest.
    pub(crate) fn since(&mut self, run: u64) {
        self.has_changed = self.run != run;
    }

    /// The number of its newest run.
    pub(crate) fn newest(&self) -> u64 {
        self.run
    }

    /// Waits for a session, and finds what its next run begins with. Gives the number of that run,
    /// too.
    pub(crate) async fn open(
        runtime: &Runtime,
        principal: Option<&Principal>,
        wanted: Wanted,
        language: Language,
    ) -> Result<(Self, Resume), Error> {
        let shelf = runtime.sessions(principal)?;
        let session = taken(shelf, &wanted.name, runtime.slot_wait()).await?;
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
            name: wanted.name,
            back: back.try_into().unwrap_or(u32::MAX),
            before,
            always: wanted.always,
            left: left.clone(),
        };
        let opened = Self {
            session,
            language,
            run,
            left,
            always: wanted.always,
            before: carried,
            carried: None,
            has_changed: false,
            taken: None,
        };
        Ok((opened, resume))
    }

    /// Whether the script asked for copies of it.
    pub(crate) fn asks_for_copies(&self) -> bool {
        matches!(&self.taken, Some(Ok(left)) if !left.forks.is_empty())
    }

    /// Where its principal's sessions are.
    pub(crate) fn place(&self) -> &Path {
        self.session.place()
    }

    /// What its runs have read, as far as policies care; those, too, of which nothing is left.
    pub(crate) fn carried(&self) -> impl Iterator<Item = &Carried> {
        self.before.iter()
    }

    /// What they have read, this one included: that goes with what it leaves.
    pub(crate) fn carries(&mut self, carried: Option<Carried>) {
        self.carried = carried;
    }

    /// The number of the run before.
    pub(crate) fn run(&self) -> u64 {
        self.run
    }

    /// Names the script so that errors tell it from those of the session's other runs.
    pub(crate) fn name(&self, script: &mut Script) {
        if self.run > 0 {
            script.number(self.run + 1);
        }
    }

    /// The run has ended. Whether what it left is so little that it is kept in place.
    pub(crate) fn leaves_little(&mut self) -> bool {
        self.taken = self.left.take();
        match &self.taken {
            Some(Ok(left)) => left.snapshot.bytes().len() as u64 <= SMALL,
            _ => true,
        }
    }

    /// Promises what the run left, if it is to be kept; or says in the outcome why it is not.
    pub(crate) fn promise(
        mut self,
        outcome: &mut Outcome,
        decision: Option<&Decision>,
    ) -> Option<Promised> {
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
    pub(crate) fn files(&self) -> Result<Vec<PathBuf>, Problem> {
        let all = std::iter::once(&self.session).chain(&self.forks);
        all.map(Session::promise_file).collect()
    }

    /// What was promised is so from now on.
    pub(crate) fn fulfil(&mut self) -> Result<(), Problem> {
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
    pub(crate) fn take_back(&mut self, why: &str) -> SessionEnd {
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

/// The language of a script that nobody named: what it looks like, unless its session has that of
/// another interpreter.
pub(crate) fn language_of(
    runtime: &Runtime,
    principal: Option<&Principal>,
    name: &str,
    code: &str,
) -> Language {
    let looked = Language::of_code(code);
    let shelf = runtime.sessions(principal).ok();
    // What is wrong with a session is said where its run begins.
    let about = shelf.and_then(|shelf| shelf.about(name).ok().flatten());
    let known = |about: About| {
        let all = [looked, Language::TypeScript, Language::Python];
        all.into_iter()
            .find(|&language| interpreter(language) == about.language)
    };
    about.and_then(known).unwrap_or(looked)
}

/// Waits until nobody else has a session.
async fn taken(shelf: Arc<Shelf>, name: &str, wait: Duration) -> Result<Session, Error> {
    let (until, mut look) = (Instant::now() + wait, LOOKS[0]);
    loop {
        match shelf.take(name) {
            Err(Problem::Busy(_)) if Instant::now() < until => {}
            Err(busy @ Problem::Busy(_)) => {
                return Err(Error::busy(busy.to_string(), Duration::from_secs(1)));
            }
            taken => return taken.map_err(refused),
        }
        sleep(look).await;
        look = (look * 2).min(LOOKS[1]);
    }
}

/// A session, and what its next run begins with.
struct Found {
    session: Session,
    before: Option<Snapshot>,
    /// The number of its newest run.
    run: u64,
    /// How many runs it can go back.
    back: usize,
    carried: Vec<Carried>,
}

fn found(session: Session, language: Language) -> Result<Found, Problem> {
    let (newest, back) = (session.newest()?, session.back()?);
    let mut carried = Vec::from_iter(session.carried()?.cloned());
    let Some(Head { about, memory }) = newest else {
        return Ok(Found {
            session,
            before: None,
            run: 0,
            back,
            carried,
        });
    };
    if about.language != interpreter(language) {
        return Err(Problem::OtherLanguage {
            name: session.name().to_owned(),
            language: about.language,
        });
    }
    if about.guest != shard::guest_hash(language) {
        return Err(Problem::OtherGuest {
            language: about.language,
        });
    }
    let snapshot =
        Snapshot::read(memory).map_err(|_| session.damaged("its memory can't be read"))?;
    carried.extend(about.carried);
    Ok(Found {
        session,
        before: Some(snapshot),
        run: about.run,
        back,
        carried,
    })
}

/// Does work with files: here, where there is little of it.
async fn done<T: Send + 'static>(
    is_small: bool,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Error> {
    if is_small {
        return work().map_err(refused);
    }
    let done = spawn_blocking(work).await;
    let done = done.map_err(|error| Error::host("a session's files were not read", error))?;
    done.map_err(refused)
}

/// A problem as an error of whoever wanted the run; with the host's folder, of the host.
pub(crate) fn refused(problem: Problem) -> Error {
    match problem {
        Problem::Folder(_) => Error::host("the sessions can't be used", problem),
        problem => Error::request(problem.to_string()),
    }
}

/// What people call an interpreter.
fn interpreter(language: Language) -> &'static str {
    match language.interpreter() {
        Interpreter::JavaScript => "JavaScript",
        Interpreter::Python => "Python",
    }
}

pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}
