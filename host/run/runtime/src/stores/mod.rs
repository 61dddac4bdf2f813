//! Where what outlives the runs of a runtime is kept: a store for each kind. A store knows its folder and
//! its limits, and neither runs nor the runtime: what that says of each store is in `session`,
//! `record`, `skills`, `parked` and `run/stages/files.rs`.

pub(crate) mod files;
pub(crate) mod parked;
pub(crate) mod records;
pub(crate) mod sessions;
pub(crate) mod skills;

use std::sync::Arc;
use std::time::Duration;

use self::files::OfferedFiles;
use self::parked::ParkedRuns;
use self::records::RecordStore;
use self::sessions::SessionStore;
use self::skills::SkillStore;
use crate::component_tools::OuterRuns;

/// Where what outlives the runs of a runtime is kept; nowhere, if nothing is said.
#[derive(Default)]
pub(crate) struct Stores {
    pub(crate) sessions: Option<SessionStore>,
    pub(crate) records: Option<RecordStore>,
    pub(crate) skills: Option<SkillStore>,
    pub(crate) files: OfferedFiles,
    pub(crate) parked: Option<ParkedRuns>,
    /// The runs that may call components, where there are such as are tools: in memory alone.
    pub(crate) outer_runs: Option<Arc<OuterRuns>>,
    /// After how long runs are parked that do not say otherwise.
    pub(crate) park_after: Option<Duration>,
}
