//! Runs of a session: what they begin with, and what becomes of what they leave.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ampoule_isolate::{
    Ending, Interpreter, Language, Left, LeftPlace, Outcome, Resume, Script, SessionEnd, Snapshot,
};
use ampoule_sessions::{About, Head, KeptName, Problem, Session, Shelf};
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
    always: bool,
    /// What its runs have read.
    carried: Option<Carried>,
    /// Another run has come between this one's beginning and its end, which another process saw.
    has_changed: bool,
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
            carried,
            has_changed: false,
        };
        Ok((opened, resume))
    }

    /// What its runs have read, as far as policies care.
    pub(crate) fn carried(&self) -> Option<&Carried> {
        self.carried.as_ref()
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

    /// Keeps what the run left, if it is to be kept, and says so in the outcome.
    pub(crate) async fn close(self, outcome: &mut Outcome) {
        let mut end = SessionEnd::unchanged(self.session.name(), self.run);
        let threw = matches!(outcome.ending, Ending::Threw(_));
        match self.left.take().filter(|_| self.always || !threw) {
            _ if self.has_changed => end.notes.push(
                "another run of it came between, while this one was parked and the host was gone: what this one left is not kept".to_owned(),
            ),
            None => end.notes.push(self.why_nothing(&outcome.ending)),
            Some(Err(why)) => end
                .notes
                .push(format!("what the run left can't be kept: {why}")),
            Some(Ok(left)) => {
                let is_small = left.snapshot.bytes().len() as u64 <= SMALL;
                let kept = done(is_small, move || Ok(self.keep(left, end))).await;
                match kept {
                    Ok(kept) => end = kept,
                    Err(error) => {
                        tracing::error!(%error, "a session can't be kept");
                        return;
                    }
                }
            }
        }
        outcome.session = Some(end);
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

    fn keep(mut self, left: Left, mut end: SessionEnd) -> SessionEnd {
        let Left {
            snapshot,
            names,
            more,
            forks,
            rewind,
        } = left;
        let done = match rewind {
            Some(runs) => self.session.rewind(runs as usize).map(|()| None),
            None => {
                let memory_bytes = snapshot.memory_bytes();
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
                about.memory_bytes = memory_bytes;
                about.names = names.into_iter().map(name).collect();
                about.more = more;
                about.carried = self.carried.take();
                let memory = snapshot.into_bytes();
                self.session.keep(Head { about, memory }).map(Some)
            }
        };
        match done {
            Ok(bytes) => {
                end.kept = bytes.is_some();
                end.bytes = bytes.unwrap_or(0);
                end.rewound = rewind.is_some();
                if end.rewound {
                    end.notes
                        .push("it was rewound, as the script asked".to_owned());
                }
                let heads = self.session.heads().unwrap_or_default();
                end.run = heads.last().copied().unwrap_or(0);
                for fork in forks {
                    let forked = self.session.fork(&fork);
                    end.notes.push(match forked {
                        Ok(()) => format!("`{fork}` is a copy of it"),
                        Err(problem) => format!("there is no copy `{fork}`: {problem}"),
                    });
                }
            }
            Err(problem) => end.notes.push(problem.to_string()),
        }
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
    carried: Option<Carried>,
}

fn found(session: Session, language: Language) -> Result<Found, Problem> {
    let (newest, back) = (session.newest()?, session.back()?);
    let Some(Head { about, memory }) = newest else {
        return Ok(Found {
            session,
            before: None,
            run: 0,
            back,
            carried: None,
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
    Ok(Found {
        session,
        before: Some(snapshot),
        run: about.run,
        back,
        carried: about.carried,
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
