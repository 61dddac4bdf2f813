//! What only the program that reads the configuration knows.

use ampoule::{GrantedTools, ToolPattern};

use super::SettingsView;
use super::work::blocking;
use crate::model::{Configuration, PrincipalRow, ToolkitRow, Viewer};
use crate::{Console, ConsoleError};

impl Console {
    /// The configuration.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; [`ConsoleError::Conflict`] if it can't be read at the moment.
    pub async fn configuration(&self, viewer: &Viewer) -> Result<Configuration, ConsoleError> {
        operators_only(viewer)?;
        Ok(self.settings().await?.configuration)
    }

    /// The toolkits. Viewers who are not operators see those that have a tool for them, and the patterns
    /// that mean such tools.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::Conflict`] if the configuration can't be read at the moment.
    pub async fn toolkits(&self, viewer: &Viewer) -> Result<Vec<ToolkitRow>, ConsoleError> {
        let mut toolkits = self.settings().await?.toolkits;
        if !viewer.is_operator() {
            let tools = self.granted(viewer)?;
            for toolkit in &mut toolkits {
                toolkit.tools.retain(|pattern| means_any(&tools, pattern));
            }
            toolkits.retain(|toolkit| !toolkit.tools.is_empty());
        }
        Ok(toolkits)
    }

    /// The principals with tokens.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; [`ConsoleError::Conflict`] if the configuration, or the list of
    /// tokens, can't be read at the moment.
    pub async fn principals(&self, viewer: &Viewer) -> Result<Vec<PrincipalRow>, ConsoleError> {
        operators_only(viewer)?;
        let settings = self.settings().await?;
        match settings.principals_problem {
            Some(problem) => Err(ConsoleError::Conflict(problem)),
            None => Ok(settings.principals),
        }
    }

    pub(super) async fn settings(&self) -> Result<SettingsView, ConsoleError> {
        let source = std::sync::Arc::clone(&self.sources().settings);
        blocking(move || source.view().map_err(ConsoleError::Conflict)).await
    }

    /// What is set up here.
    pub(crate) fn parts(&self) -> Vec<String> {
        let sources = self.sources();
        let runtime = sources.runtime();
        let governance = runtime.governance();
        let parts = [
            ("runs", true),
            ("approvals", sources.approvals.is_some()),
            ("sessions", runtime.sessions(None).is_ok()),
            ("files", runtime.has_workspaces()),
            ("skills", runtime.has_skills()),
            ("policies", governance.is_some_and(|it| it.has_policies())),
            ("audit", sources.audit.is_some()),
            ("records", runtime.records(None).is_ok()),
            ("toolkits", !sources.server.toolkits().is_empty()),
        ];
        let there = parts.into_iter().filter(|(_, is_there)| *is_there);
        there.map(|(name, _)| name.to_owned()).collect()
    }
}

/// Whether a pattern means a tool that is granted. Of a server whose tools are not known yet, any may
/// be.
pub(super) fn means_any(tools: &GrantedTools, pattern: &str) -> bool {
    let Ok(pattern) = pattern.parse::<ToolPattern>() else {
        return false;
    };
    let mut servers = tools.servers().filter(|it| pattern.is_of(it.name()));
    servers.any(|server| match tools.known_tools_of(server) {
        Some(known) => known
            .iter()
            .any(|tool| pattern.matches(server.name(), &tool.definition().name)),
        None => true,
    })
}

/// # Errors
///
/// [`ConsoleError::OperatorsOnly`].
pub(super) fn operators_only(viewer: &Viewer) -> Result<(), ConsoleError> {
    match viewer.is_operator() {
        true => Ok(()),
        false => Err(ConsoleError::OperatorsOnly),
    }
}
