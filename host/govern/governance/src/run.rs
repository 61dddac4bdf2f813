//! A run: what its calls pass, what it has read, and how it ends.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use ampoule_approvals::ToolActivity;
use ampoule_audit::WriteError;
use ampoule_policy::{Caller, LabelOrigin, RunLabels};
use ampoule_privacy::{Counts, KeepError};
use ampoule_quota::{Classes, RunUsage};
use ampoule_tools::{Layer, Layers};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

use crate::admission::AdmissionError;
use crate::decision_cache::DecisionCache;
use crate::enforce::Enforcement;
use crate::facts::{Carried, Ended, RunFacts};
use crate::governance::{Governance, Parts};
use crate::known::State;
use crate::model::{self, When, Withheld};
use crate::personal::Opened;
use crate::plan::Course;
use crate::records::Whose;
use crate::seal::{Seal, Sealed};
use crate::within::Within;

/// How many tools that the run has called are shown to a person who is asked.
const DONE: usize = 20;

/// A run that is under way. [End](Self::end) it, or [park](Self::park) it; one that is dropped is
/// recorded as such, and its questions are withdrawn.
pub struct GovernedRun {
    within: Within,
    is_over: bool,
}

/// A run that is over.
#[derive(Debug)]
pub struct Over {
    /// How much personal data was found in what goes to the model; or why the model is given nothing
    /// of it: then all texts are empty.
    pub shown: Result<Counts, Withheld>,
    /// What has to be kept with all that the run left, such as its session, skills and files.
    pub carried: Carried,
}

/// What its calls share.
pub(crate) struct Shared {
    pub(crate) governance: Governance,
    pub(crate) whose: Whose,
    facts: RunFacts,
    /// As policies look at it.
    pub(crate) caller: Caller,
    /// As people see it.
    pub(crate) asks_as: ampoule_approvals::Caller,
    labels: Mutex<Arc<RunLabels>>,
    pub(crate) decided: DecisionCache,
    looked_at: AtomicBool,
    pub(crate) table: Option<Arc<Opened>>,
    done: Mutex<Vec<ToolActivity>>,
    pub(crate) has_asked: AtomicBool,
    parks: AtomicBool,
    pub(crate) course: Course,
    pub(crate) seal: Seal,
    /// The number of the next question about output: such numbers go down from the last.
    pub(crate) next_output: AtomicU32,
    /// Whether there is nothing to be done at any call.
    pub(crate) is_free: bool,
}

impl GovernedRun {
    pub(crate) async fn open(
        governance: &Governance,
        facts: RunFacts,
        course: Course,
        is_resumed: bool,
    ) -> Result<Self, AdmissionError> {
        let table = match &governance.0.personal {
            None => None,
            Some(personal) => Some(match facts.table() {
                None => personal.opened(None)?,
                Some(name) => {
                    let governance = governance.clone();
                    let open = move || {
                        let personal = governance.0.personal.as_ref();
                        personal.map(|it| it.opened(Some(name))).transpose()
                    };
                    let opened = spawn_blocking(open)
                        .await
                        .map_err(|_| AdmissionError::Stopped)?;
                    opened?.ok_or(AdmissionError::Stopped)?
                }
            }),
        };
        let whose = Whose::of(&facts);
        let asks_as = facts.asks_as();
        let shared = Shared {
            caller: facts.caller(),
            labels: Mutex::new(Arc::new(facts.carried.labels.clone())),
            decided: DecisionCache::default(),
            looked_at: AtomicBool::new(facts.carried.looked_at),
            done: Mutex::default(),
            // What it asked before it slept is not known here.
            has_asked: AtomicBool::new(is_resumed),
            parks: AtomicBool::new(false),
            course,
            seal: Seal::default(),
            next_output: AtomicU32::new(u32::MAX),
            is_free: governance.is_nothing(),
            governance: governance.clone(),
            whose,
            facts,
            asks_as,
            table,
        };
        Ok(Self {
            within: Within {
                shared: Arc::new(shared),
            },
            is_over: false,
        })
    }

    pub(crate) fn record_start(mut self) -> Result<Self, WriteError> {
        let shared = &self.within.shared;
        let recorded = shared
            .parts()
            .record(|| shared.whose.started(&shared.facts));
        match recorded {
            Ok(()) => Ok(self),
            Err(error) => {
                // It did not begin, so it does not end.
                self.is_over = true;
                Err(error)
            }
        }
    }

    /// What every call of the run has to pass. Put it inside of every layer that changes arguments
    /// or results: what it lets pass is what leaves.
    pub fn layer(&self) -> impl Layer + use<> {
        Enforcement(Arc::clone(&self.shared))
    }

    /// What finds out whether a layer in between changed what was let pass, and denies such a call.
    /// If it is used, it has to be the innermost.
    pub fn seal(&self) -> impl Layer + use<> {
        self.shared.seal.is_used.store(true, Relaxed);
        Sealed(Arc::clone(&self.shared))
    }

    /// These layers, with [`layer`](Self::layer) and [`seal`](Self::seal) inside of them.
    pub fn inside_of(&self, layers: &Layers) -> Layers {
        match self.shared.is_free {
            true => layers.clone(),
            false => layers.with(self.layer()).with(self.seal()),
        }
    }

    /// It ends: `texts` are what the model is to be given of it.
    pub async fn end(mut self, texts: &mut [&mut String], ended: Ended) -> Over {
        // Nobody is asked about the output of one that nobody wants any more.
        let when = match &*ended.outcome {
            "cancelled" => When::Meanwhile,
            _ => When::AtTheEnd,
        };
        let shown = model::pass(&self.shared, texts, when).await;
        self.is_over = true;
        let shared = Arc::clone(&self.shared);
        shared.over(&ended);
        if shared.leaves_something() {
            let cleaned = spawn_blocking({
                let shared = Arc::clone(&shared);
                move || shared.clean()
            });
            if let Err(error) = cleaned.await {
                tracing::warn!(%error, "what a run left could not be stored");
            }
        }
        Over {
            shown,
            carried: shared.carried(),
        }
    }

    /// It sleeps; another process may [resume](Governance::resume) it, with what this returns.
    ///
    /// # Errors
    ///
    /// [`KeepError`]: what its tokens stand for can't be kept.
    pub async fn park(mut self) -> Result<Carried, KeepError> {
        self.will_park();
        self.is_over = true;
        let shared = Arc::clone(&self.shared);
        let kept = spawn_blocking({
            let shared = Arc::clone(&shared);
            move || shared.keep_table()
        });
        kept.await
            .unwrap_or_else(|error| Err(std::io::Error::other(error).into()))?;
        Ok(shared.carried())
    }
}

impl Deref for GovernedRun {
    type Target = Within;

    fn deref(&self) -> &Within {
        &self.within
    }
}

/// Where it [will be parked](Within::will_park), it sleeps from now on; else it is over.
impl Drop for GovernedRun {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let shared = Arc::clone(&self.shared);
        if self.shared.parks() {
            soon(move || shared.keep_table_or_warn());
            return;
        }
        self.shared.over(&Ended {
            outcome: "dropped".into(),
            ..Ended::default()
        });
        if shared.leaves_something() {
            soon(move || shared.clean());
        }
    }
}

/// Does what blocks on a thread for that, if there is one.
pub(crate) fn soon(work: impl FnOnce() + Send + 'static) {
    match Handle::try_current() {
        Ok(runtime) => drop(runtime.spawn_blocking(work)),
        Err(_) => work(),
    }
}

impl Shared {
    pub(crate) fn parts(&self) -> &Parts {
        &self.governance.0
    }

    pub(crate) fn principal(&self) -> Option<&str> {
        self.whose.principal.as_deref()
    }

    /// As quotas look at it.
    pub(crate) fn counted(&self) -> ampoule_quota::Caller<'_> {
        ampoule_quota::Caller {
            principal: self.principal(),
            groups: &self.caller.groups,
            client: &self.caller.client,
            toolkit: &self.caller.toolkit,
        }
    }

    pub(crate) fn will_park(&self) {
        self.parks.store(true, Relaxed);
    }

    pub(crate) fn parks(&self) -> bool {
        self.parks.load(Relaxed)
    }

    /// Whether its calls take back those of another run, and count as destructive.
    pub(crate) fn is_undo(&self) -> bool {
        self.facts.undoes.is_some()
    }

    /// The classes of a call's tool, by which it is counted.
    pub(crate) fn classes(&self, call: &ampoule_tools::Call, state: &State) -> Classes {
        let classes = state.classes(&call.server, &call.tool);
        match self.is_undo() {
            true => Classes {
                read_only: false,
                destructive: true,
                ..classes
            },
            false => classes,
        }
    }

    /// Whether a call may change something, as far as its tool says: such calls are what plans are
    /// of.
    pub(crate) fn changes(&self, call: &ampoule_tools::Call, state: &State) -> bool {
        !matches!(self.course, Course::Straight)
            && !self.has_alone(&call.server)
            && !self.classes(call, state).read_only
    }

    /// Whether no other run has this server.
    pub(crate) fn has_alone(&self, server: &Arc<str>) -> bool {
        self.facts.own.contains(server)
    }

    /// What was read by now.
    pub(crate) fn labels(&self) -> Arc<RunLabels> {
        Arc::clone(&self.labels.lock())
    }

    pub(crate) fn is_looked_at(&self) -> bool {
        let personal = self.parts().personal.as_ref();
        // Without a list of tools, all that runs give is looked at.
        personal.is_some_and(|it| self.looked_at.load(Relaxed) || it.boundary.looks_at(|_| false))
    }

    /// Something came back from a tool: the run has read it, and is labelled so before it has it.
    pub(crate) fn has_read(&self, call: &ampoule_tools::Call, state: &State) {
        let (server, tool) = (&*call.server, &*call.tool);
        let mut from: Option<Arc<str>> = None;
        for label in state.policies.labels_of(server, tool) {
            let mut labels = self.labels.lock();
            if !labels.has(label) {
                let from = from.get_or_insert_with(|| format!("{server}.{tool}").into());
                let read = || LabelOrigin {
                    call: Some(u64::from(call.number)),
                    from: Arc::clone(from),
                };
                Arc::make_mut(&mut labels).rise(label, read);
            }
        }
        if let Some(personal) = &self.parts().personal
            && !self.looked_at.load(Relaxed)
        {
            let is_of = |pattern: &str| state.is_looked_at(server, tool, pattern);
            if personal.boundary.looks_at(is_of) {
                self.looked_at.store(true, Relaxed);
            }
        }
    }

    /// What the run has done so far, for a person.
    pub(crate) fn done(&self) -> Vec<ToolActivity> {
        self.done.lock().clone()
    }

    pub(crate) fn has_done(&self, call: &ampoule_tools::Call, is_answered: bool) {
        if self.parts().asking.is_none() {
            return;
        }
        let mut done = self.done.lock();
        let is_theirs = |one: &ToolActivity| *one.server == *call.server && *one.tool == *call.tool;
        let place = done.iter().position(is_theirs).unwrap_or(done.len());
        if place >= DONE {
            return;
        }
        if place == done.len() {
            done.push(ToolActivity {
                server: call.server.to_string(),
                tool: call.tool.to_string(),
                answered: 0,
                failed: 0,
            });
        }
        let count = match is_answered {
            true => &mut done[place].answered,
            false => &mut done[place].failed,
        };
        *count = count.saturating_add(1);
    }

    /// It reads what something else brings along.
    pub(crate) fn reads(&self, carried: &Carried) {
        if !carried.is_empty() {
            let mut labels = self.labels.lock();
            Arc::make_mut(&mut labels).join(&carried.labels);
            self.looked_at.fetch_or(carried.looked_at, Relaxed);
        }
    }

    pub(crate) fn carried(&self) -> Carried {
        Carried {
            labels: (*self.labels()).clone(),
            looked_at: self.looked_at.load(Relaxed),
        }
    }

    fn over(&self, ended: &Ended) {
        if let Some(quotas) = &self.parts().quotas {
            let spent = RunUsage {
                fuel: ended.fuel,
                isolate_time: ended.isolate_time,
            };
            if let Err(error) = self.parts().spent.add(self.principal(), &self.carried()) {
                tracing::error!(%error, "the labels of quotas can't be stored");
            }
            quotas.spend(&self.counted(), spent);
        }
        self.parts()
            .note(|| self.whose.ended(ended, &self.labels()));
    }

    /// Whether there is anything to be [cleaned](Self::clean): most runs ask nobody, and have a
    /// table that ends with them.
    fn leaves_something(&self) -> bool {
        let asked = self.parts().asking.is_some() && self.has_asked.load(Relaxed);
        asked || self.table.as_ref().is_some_and(|table| table.is_kept())
    }

    /// Takes its questions back, and keeps its table. Blocks.
    fn clean(&self) {
        if let Some(asking) = &self.parts().asking
            && self.has_asked.load(Relaxed)
            && let Err(problem) = asking.withdraw(&self.asks_as.run, None)
        {
            tracing::warn!(%problem, "the questions of a run could not be withdrawn");
        }
        self.keep_table_or_warn();
    }

    fn keep_table_or_warn(&self) {
        if let Err(error) = self.keep_table() {
            tracing::warn!(%error, "the values behind a session's tokens could not be stored");
        }
    }

    fn keep_table(&self) -> Result<(), KeepError> {
        match (&self.parts().personal, &self.table) {
            (Some(personal), Some(opened)) => personal.keep(opened),
            _ => Ok(()),
        }
    }
}

impl fmt::Debug for GovernedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GovernedRun")
            .field("run", &self.shared.whose.run)
            .field("carried", &self.shared.carried())
            .finish_non_exhaustive()
    }
}
