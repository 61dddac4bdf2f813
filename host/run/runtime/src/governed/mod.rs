//! Governance, where the embedder set any up: what stands between runs and their tools, and between
//! runs and whoever reads of them. Each run passes it at one place, `isolate/running.rs`.
//!
//! - `of_runtime`: what the runtime has of it; `telling`: governance is told which tools there are
//! - `visible`: the tools that exist for somebody
//! - `governing`: one run, from its beginning to its end; `shown`: what is shown of it
//! - `own`: what scripts have of it, as tools
//! - `none`: the same, where the crate is built without it
//!
//! What a run has read, as far as policies care, goes with all that it leaves: a session, a file, a
//! skill, a record. Those who keep that do not look into it: for them it is [`Carried`].

#[cfg(feature = "governance")]
mod governing;
#[cfg(not(feature = "governance"))]
mod none;
#[cfg(feature = "governance")]
mod of_runtime;
#[cfg(feature = "governance")]
mod own;
#[cfg(feature = "governance")]
mod shown;
#[cfg(feature = "governance")]
mod telling;
#[cfg(feature = "governance")]
mod visible;

use std::io;
use std::sync::Arc;

use ampoule_tools::{Principal, RunId};
use ampoule_workspace::Carrier;
use parking_lot::Mutex;

#[cfg(feature = "governance")]
pub(crate) use self::{
    governing::{Approved, Governing, Within},
    of_runtime::Governed,
    own::Own,
};
#[cfg(feature = "governance")]
pub(crate) use ampoule_governance::{Governance as Given, approvals::Plan};
#[cfg(not(feature = "governance"))]
pub(crate) use none::{Approved, Given, Governed, Governing, Own, Plan, Within};

/// What a run has read, as those keep it who do not look into it.
pub(crate) type Carried = serde_json::Value;

/// How a run's calls are made that change something.
#[cfg_attr(
    not(feature = "governance"),
    expect(dead_code, reason = "there is nobody to tell it")
)]
#[derive(Clone, Default)]
pub(crate) enum Course {
    /// As policies say.
    #[default]
    Straight,
    /// They are only recorded, and the plan goes there.
    Tried(Arc<Mutex<Option<Plan>>>),
    /// As somebody has approved.
    Planned(Approved),
    /// The same, by the name of what was approved: it slept.
    Again(String),
}

/// What is known of a run that begins.
#[cfg_attr(
    not(feature = "governance"),
    expect(dead_code, reason = "there is nobody to tell it")
)]
pub(crate) struct Begins {
    pub(crate) id: RunId,
    pub(crate) principal: Option<Principal>,
    pub(crate) client: Option<Arc<str>>,
    pub(crate) tokens: Option<Arc<str>>,
    pub(crate) session: Option<String>,
    pub(crate) language: String,
    /// The script's digest.
    pub(crate) script: String,
    /// The servers that it alone has.
    pub(crate) own: Vec<Arc<str>>,
    /// What those had read who left what it begins with.
    pub(crate) carried: Vec<Carried>,
    pub(crate) course: Course,
    /// It began elsewhere, and slept.
    pub(crate) is_resumed: bool,
}

/// A run's files go by what it has read.
impl Carrier for Within {
    fn reads(&self, carried: &Carried) -> io::Result<()> {
        Within::reads(self, carried).map_err(io::Error::other)
    }

    fn carried(&self) -> Option<Carried> {
        Within::carried(self)
    }
}

#[cfg(feature = "governance")]
fn written(carried: &ampoule_governance::Carried) -> Option<Carried> {
    // Texts and numbers alone can always be written.
    let written = serde_json::to_value(carried).unwrap_or_default();
    (!carried.is_empty()).then_some(written)
}

#[cfg(feature = "governance")]
fn read(carried: &Carried) -> Result<ampoule_governance::Carried, ampoule_tools::Error> {
    serde::Deserialize::deserialize(carried).map_err(|error| {
        ampoule_tools::Error::host(
            "what was read for something that is kept can't be told",
            error,
        )
    })
}
