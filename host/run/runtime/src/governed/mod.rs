//! Governance, where the embedder set any up: what stands between runs and their tools, and between
//! runs and their readers. Each run passes it at one place, `run/stages/governed.rs`.
//!
//! The rest of the crate knows governance by three traits alone: [`Governor`], what governs the runs
//! of a runtime; [`GovernedRun`], one run of those; and [`Oversight`], the same as those have it who
//! are within the run. Where the crate is built without governance, nothing implements them.
//!
//! - `of_runtime`: what the runtime has of it; `binding_lists`: governance learns which tools there
//!   are
//! - `catalogs`: the tools that exist for somebody
//! - `governing`: one run, from its beginning to its end; `display`: what is shown of it
//! - `own_tools`: what scripts have of it, as tools
//!
//! What a run has read, as far as policies care, goes with all that it leaves: a session, a file, a
//! skill, a record. Those who keep that do not look into it: for them it is [`CarriedData`].

#[cfg(feature = "governance")]
mod binding_lists;
#[cfg(feature = "governance")]
mod catalogs;
#[cfg(feature = "governance")]
mod display;
#[cfg(feature = "governance")]
mod governing;
#[cfg(feature = "governance")]
mod of_runtime;
#[cfg(feature = "governance")]
mod own_tools;

use std::sync::Arc;

#[cfg(feature = "governance")]
use ampoule_governance::{
    Governance,
    approvals::{ApprovedPlan, Plan},
};
use ampoule_isolate::{Events, Observers, Outcome, SessionEnd};
use ampoule_tools::{Catalog, Error, Layers, Principal, RunId};
use futures::future::BoxFuture;
#[cfg(feature = "governance")]
use parking_lot::Mutex;

#[cfg(feature = "governance")]
pub(crate) use self::{of_runtime::Governing, own_tools::OwnTools};

/// What a run has read, as those keep it who do not look into it.
pub(crate) type CarriedData = serde_json::Value;

/// What governs the runs of a runtime.
pub(crate) trait Governor: Send + Sync {
    /// Governance itself.
    #[cfg(feature = "governance")]
    fn governance(&self) -> &Governance;

    /// The catalog as it is for somebody: what they may never call is not there.
    fn catalog(&self, catalog: &Catalog, requester: Requester<'_>) -> Catalog;

    /// Begins a run, or resumes one that was parked. None where there is nothing to be done.
    ///
    /// # Errors
    ///
    /// A request error says why it must not begin.
    fn start(&self, start: RunStart) -> BoxFuture<'_, Result<Option<Box<dyn GovernedRun>>, Error>>;

    /// The mode of a dry run.
    fn dry_run(&self) -> ExecutionMode;

    /// Has a person approve what a dry run in that mode would have done. Gives the mode of the run
    /// itself; none where there was nothing to approve.
    ///
    /// # Errors
    ///
    /// A request error says why it is not approved.
    fn approve(
        &self,
        start: RunStart,
        dry_run: ExecutionMode,
    ) -> BoxFuture<'_, Result<Option<ExecutionMode>, Error>>;

    /// A run that is under way.
    fn run(&self, run: RunId) -> Option<Arc<dyn Oversight>>;

    /// Whether what somebody left who had read this may be shown to somebody's model.
    fn may_show(&self, carried: &CarriedData, requester: Requester<'_>) -> bool;

    /// The same of a text, in which there may be personal data.
    fn may_show_text(
        &self,
        carried: Option<&CarriedData>,
        requester: Requester<'_>,
        text: &str,
    ) -> bool;
}

/// Who asks for something, as policies look at them. The default is the local user.
#[derive(Debug, Clone, Copy, Default)]
pub struct Requester<'a> {
    /// On whose behalf.
    pub principal: Option<&'a Principal>,
    /// By which client, as that calls itself.
    pub client: Option<&'a str>,
    /// Within which toolkit.
    pub toolkit: Option<&'a Arc<str>>,
}

/// What governs a run. Where this is dropped before the run is over, that is over, too; or the run is
/// parked, if it [will be](Oversight::will_park).
pub(crate) trait GovernedRun: Send {
    /// These layers, with what governs calls inside of them.
    fn inside_of(&self, layers: &Layers) -> Layers;

    /// The same, as those have it who are within the run.
    fn oversight(&self) -> Arc<dyn Oversight>;

    /// Tells these of what happens, as far as they may know: it comes to them after it happened.
    fn tell(&mut self, events: Events, observers: Observers);

    /// The run is over. What goes to the model of it is what it may have.
    fn end(
        self: Box<Self>,
        ended: Result<Outcome, Error>,
    ) -> BoxFuture<'static, Result<Outcome, Error>>;
}

/// The governance of a run, as those have it who are within the run.
pub(crate) trait Oversight: Send + Sync {
    /// What the run has read by now; none if that matters to nobody.
    fn carried(&self) -> Option<CarriedData>;

    /// The run is about to read what somebody who had read this left.
    ///
    /// # Errors
    ///
    /// It is unknown what that was.
    fn reads(&self, carried: &CarriedData) -> Result<(), Error>;

    /// Whether these texts may be shown to the model, all of them and as they are.
    ///
    /// # Errors
    ///
    /// Why not, for the script.
    fn may_show<'a>(&'a self, texts: &'a [&str]) -> BoxFuture<'a, Result<(), String>>;

    /// The run is about to leave its session so.
    ///
    /// # Errors
    ///
    /// That can't be recorded, so it must not be.
    fn leaves(&self, session: &SessionEnd) -> Result<(), String>;

    /// The run is about to be dropped, and will be resumed.
    fn will_park(&self);
}

/// How a run's calls are made that change something.
#[cfg_attr(
    not(feature = "governance"),
    expect(dead_code, reason = "no observer reads it")
)]
#[derive(Clone, Default)]
pub(crate) enum ExecutionMode {
    /// As policies say.
    #[default]
    Normal,
    /// They are not: the script is only checked, so that there is nothing to govern.
    CheckOnly,
    /// They are only recorded, and the plan goes there.
    #[cfg(feature = "governance")]
    DryRun(Arc<Mutex<Option<Plan>>>),
    /// As somebody has approved.
    #[cfg(feature = "governance")]
    Approved(Arc<ApprovedPlan>),
    /// The same, by the name of what was approved: the run was parked.
    Resumed(String),
}

impl ExecutionMode {
    /// Whether nothing of the run is done.
    pub(crate) fn is_dry_run(&self) -> bool {
        match self {
            Self::CheckOnly => true,
            #[cfg(feature = "governance")]
            Self::DryRun(_) => true,
            _ => false,
        }
    }

    /// Whether the script does not run at all.
    pub(crate) fn is_check_only(&self) -> bool {
        matches!(self, Self::CheckOnly)
    }

    /// The name of the plan that somebody has approved.
    pub(crate) fn plan(&self) -> Option<String> {
        match self {
            #[cfg(feature = "governance")]
            Self::Approved(plan) => Some(plan.id().to_string()),
            _ => None,
        }
    }
}

/// What is known of a run that begins.
#[cfg_attr(
    not(feature = "governance"),
    expect(dead_code, reason = "no observer reads it")
)]
pub(crate) struct RunStart {
    pub(crate) id: RunId,
    pub(crate) principal: Option<Principal>,
    pub(crate) client: Option<Arc<str>>,
    pub(crate) toolkit: Option<Arc<str>>,
    pub(crate) tokens: Option<Arc<str>>,
    pub(crate) session: Option<String>,
    pub(crate) language: String,
    /// The script's digest.
    pub(crate) script: String,
    /// The servers that it alone has.
    pub(crate) own: Vec<Arc<str>>,
    /// What those had read who left what it begins with.
    pub(crate) carried: Vec<CarriedData>,
    pub(crate) mode: ExecutionMode,
    /// It began elsewhere, and was parked.
    pub(crate) is_resumed: bool,
    /// The run whose calls it takes back.
    pub(crate) undoes: Option<RunId>,
}

#[cfg(feature = "governance")]
fn written(carried: &ampoule_governance::CarriedLabels) -> Option<CarriedData> {
    // Texts and numbers alone can always be written.
    let written = serde_json::to_value(carried).unwrap_or_default();
    (!carried.is_empty()).then_some(written)
}

#[cfg(feature = "governance")]
fn read(carried: &CarriedData) -> Result<ampoule_governance::CarriedLabels, Error> {
    serde::Deserialize::deserialize(carried)
        .map_err(|error| Error::host("the labels of something stored can't be read", error))
}
