//! The configuration, as the program that reads it shows it.

use crate::model::{Configuration, PrincipalRow, RoleRow, ToolkitRow};

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
}

/// Reads the configuration for the console. It is read anew each time.
pub trait SettingsSource: Send + Sync {
    /// What is configured now.
    ///
    /// # Errors
    ///
    /// A sentence: the configuration can't be read.
    fn view(&self) -> Result<SettingsView, String>;
}
