//! Schedules and hooks: what starts runs, and what became of them.

use std::sync::Arc;

use ampoule_server::unattended::StartError;

use super::settings::operators_only;
use super::work::blocking;
use crate::model::{ScheduleKind, ScheduleRow, StartedRun, Viewer};
use crate::{Console, ConsoleError};

impl Console {
    /// The schedules and hooks by name: for operators all, for others those that run on their behalf.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Conflict`] if the configuration, or what is known of the runs, can't be read at
    /// the moment.
    pub async fn schedules(&self, viewer: &Viewer) -> Result<Vec<ScheduleRow>, ConsoleError> {
        let source = Arc::clone(&self.sources().settings);
        let mut rows = blocking(move || source.schedules().map_err(ConsoleError::Conflict)).await?;
        rows.retain(|row| viewer.may_see(row.principal.as_deref()));
        let may_start = viewer.is_operator() && self.sources().unattended.is_some();
        for row in &mut rows {
            row.can_start = may_start && row.kind == ScheduleKind::Schedule;
        }
        rows.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(rows)
    }

    /// Starts a run of a schedule now, besides those that its clock starts.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; [`ConsoleError::NotSetUp`] where no clock starts runs;
    /// [`ConsoleError::NotFound`]; [`ConsoleError::Conflict`] while as many of its runs are under way
    /// as may be, or if the run can't be started.
    pub async fn start_schedule(
        &self,
        viewer: &Viewer,
        name: &str,
    ) -> Result<StartedRun, ConsoleError> {
        operators_only(viewer)?;
        let unattended = self.sources().unattended.clone();
        let unattended = unattended.ok_or(ConsoleError::NotSetUp(
            "no clock starts runs here: `ampoule serve --http` starts those of `[schedules]`",
        ))?;
        match unattended.start(name).await {
            Ok(run) => Ok(StartedRun {
                run: run.to_string(),
            }),
            Err(StartError::Unknown) => Err(ConsoleError::NotFound("this schedule")),
            Err(StartError::Busy) => Err(ConsoleError::Conflict(
                "a run of this schedule is under way, and `overlap` allows no other".to_owned(),
            )),
            Err(StartError::Host(why)) => Err(ConsoleError::Conflict(why)),
        }
    }
}
