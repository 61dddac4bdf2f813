//! What the calls of a run share: who makes it, what it has read, and what is left of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use ampoule_approvals::ToolActivity;
use ampoule_audit::WriteError;
use ampoule_policy::{Caller, LabelOrigin, RunLabels};
use ampoule_privacy::KeepError;
use ampoule_quota::{Classes, RunUsage};
use parking_lot::Mutex;
use tokio::runtime::Handle;

use crate::course::Course;
use crate::decision_cache::DecisionCache;
use crate::facts::{CarriedLabels, EndFacts, RunFacts};
use crate::known_servers::State;
use crate::parts::Parts;
use crate::personal::OpenTable;
use crate::records::RunIdentity;
use crate::seal::Seal;

/// How many tools that the run has called are shown to a person who is asked.
const DONE: usize = 20;

/// What its calls share.
pub(crate) struct Shared {
    parts: Arc<Parts>,
    pub(crate) whose: RunIdentity,
    facts: RunFacts,
    /// As policies look at it.
    pub(crate) caller: Caller,
    /// As people see it.
    pub(crate) asks_as: ampoule_approvals::Caller,
    labels: Mutex<Arc<RunLabels>>,
    pub(crate) decided: DecisionCache,
    looked_at: AtomicBool,
    pub(crate) table: Option<Arc<OpenTable>>,
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

impl Shared {
    /// Of a run that begins, or is resumed.
    pub(crate) fn new(
        parts: Arc<Parts>,
        facts: RunFacts,
        course: Course,
        table: Option<Arc<OpenTable>>,
        is_resumed: bool,
    ) -> Self {
        Self {
            whose: RunIdentity::of(&facts),
            asks_as: facts.asks_as(),
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
            is_free: parts.are_nothing(),
            parts,
            facts,
            table,
        }
    }

    /// Records that the run begins.
    pub(crate) fn record_start(&self) -> Result<(), WriteError> {
        self.parts().record(|| self.whose.started(&self.facts))
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
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
    pub(crate) fn reads(&self, carried: &CarriedLabels) {
        if !carried.is_empty() {
            let mut labels = self.labels.lock();
            Arc::make_mut(&mut labels).join(&carried.labels);
            self.looked_at.fetch_or(carried.looked_at, Relaxed);
        }
    }

    pub(crate) fn carried(&self) -> CarriedLabels {
        CarriedLabels {
            labels: (*self.labels()).clone(),
            looked_at: self.looked_at.load(Relaxed),
        }
    }

    pub(crate) fn over(&self, ended: &EndFacts) {
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
    pub(crate) fn leaves_something(&self) -> bool {
        let asked = self.parts().asking.is_some() && self.has_asked.load(Relaxed);
        asked || self.table.as_ref().is_some_and(|table| table.is_kept())
    }

    /// Takes its questions back, and keeps its table. Blocks.
    pub(crate) fn clean(&self) {
        if let Some(asking) = &self.parts().asking
            && self.has_asked.load(Relaxed)
            && let Err(problem) = asking.withdraw(&self.asks_as.run, None)
        {
            tracing::warn!(%problem, "the questions of a run could not be withdrawn");
        }
        self.keep_table_or_warn();
    }

    pub(crate) fn keep_table_or_warn(&self) {
        if let Err(error) = self.keep_table() {
            tracing::warn!(%error, "the values behind a session's tokens could not be stored");
        }
    }

    pub(crate) fn keep_table(&self) -> Result<(), KeepError> {
        match (&self.parts().personal, &self.table) {
            (Some(personal), Some(opened)) => personal.keep(opened),
            _ => Ok(()),
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
