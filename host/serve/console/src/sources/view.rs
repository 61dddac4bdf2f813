//! The configuration, as the program that reads it shows it.

use crate::model::{Configuration, PrincipalRow, RoleRow, ScheduleRow, ToolkitRow};

/// What is configured, as it is shown.
#[derive(Debug, Clone, Default)]
pub struct SettingsView {
    /// The configuration, with its sources.
    pub configuration: Configuration,
    /// The toolkits.
    pub toolkits: Vec<ToolkitRow>,
    /// The roles.
    pub roles: Vec<RoleRow>,
    /// The principals with tokens.
    pub principals: Vec<PrincipalRow>,
    /// Why these are not known, in a sentence.
    pub principals_problem: Option<String>,
}

/// Reads the configuration for the console. It is read again each time.
pub trait SettingsSource: Send + Sync {
    /// What is configured now.
    ///
    /// # Errors
    ///
    /// A sentence: the configuration can't be read.
    fn view(&self) -> Result<SettingsView, String>;

    /// The schedules and hooks, with what became of their runs.
    ///
    /// # Errors
    ///
    /// A sentence: the configuration, or what is known of the runs, can't be read.
    fn schedules(&self) -> Result<Vec<ScheduleRow>, String>;
}
