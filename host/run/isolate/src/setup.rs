//! What a run is given when it begins.

use std::sync::Arc;

use ampoule_limits::Limits;
use ampoule_tools::{Deadline, GrantedTools, Layers, Principal, Respondent, RunId, Trace};

use super::event::Observers;
use super::files::RunFiles;
use super::gauge::Gauge;
use super::memory::MemoryPlace;
use super::parking::Parking;
use super::session::Resume;
use super::world::World;

/// What a run is given when it begins.
pub struct RunSetup {
    /// Its name.
    pub id: RunId,
    /// On whose behalf it happens.
    pub principal: Option<Principal>,
    /// What it may use.
    pub limits: Limits,
    /// What it may call.
    pub tools: GrantedTools,
    /// What its calls pass.
    pub layers: Layers,
    /// The respondent of what servers ask during its calls (elicitation).
    pub respondent: Option<Arc<dyn Respondent>>,
    /// Where it belongs in a distributed trace.
    pub trace: Option<Trace>,
    /// When it must be over. It begins anew when the run begins.
    pub deadline: Deadline,
    /// What it can't compute itself; the system's, if nothing else is said.
    pub world: Option<Arc<dyn World>>,
    /// The listeners.
    pub observers: Observers,
    /// What shows how much it has used so far.
    pub gauge: Gauge,
    /// What makes it one of a session.
    pub session: Option<Box<Resume>>,
    /// When it is parked, and where; never, if nothing is said.
    pub parking: Option<Box<Parking>>,
    /// The files that it is given, if any.
    pub files: RunFiles,
    /// Where all of its memory is put when it has returned; nowhere, if nothing is said.
    pub memory_place: Option<MemoryPlace>,
}

impl RunSetup {
    pub(crate) fn of(limits: Limits, tools: GrantedTools) -> Self {
        let id = RunId::new();
        Self {
            id,
            principal: None,
            limits,
            tools,
            layers: Layers::default(),
            respondent: None,
            trace: None,
            deadline: Deadline::after(limits.wall_time),
            world: None,
            observers: Observers::of(id),
            gauge: Gauge::default(),
            session: None,
            parking: None,
            files: RunFiles::None,
            memory_place: None,
        }
    }
}
