//! Servers: their states, and restarts.

use std::sync::Arc;

use ampoule::GrantedTools;
use ampoule_tools::Server;

use super::begin::CLIENT;
use super::cursor;
use super::settings::operators_only;
use super::tools::tool_row;
use crate::model::{Page, PageQuery, ServerDetail, ServerRow, Viewer};
use crate::{Console, ConsoleError};

/// No other words for a server that policies keep from the viewer.
const UNKNOWN: ConsoleError = ConsoleError::NotFound("this server");

impl Console {
    /// The servers whose tools the viewer's scripts may call; operators see all. No server is
    /// started for that.
    ///
    /// # Errors
    ///
    /// The cursor is unknown.
    pub async fn servers(
        &self,
        viewer: &Viewer,
        wanted: &PageQuery,
    ) -> Result<Page<ServerRow>, ConsoleError> {
        let tools = self.granted(viewer)?;
        let rows = tools.servers().map(|server| server_row(&tools, server));
        let mut rows: Vec<ServerRow> = rows.collect();
        rows.sort_by(|one, other| one.name.cmp(&other.name));
        cursor::by_name(rows, wanted, |row| row.name.clone())
    }

    /// A server, with its tools as far as they are known without waiting.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::NotFound`].
    pub async fn server(&self, viewer: &Viewer, name: &str) -> Result<ServerDetail, ConsoleError> {
        let tools = self.granted(viewer)?;
        let server = found(&tools, name)?;
        let known = tools.known_tools_of(&server).unwrap_or_default();
        Ok(ServerDetail {
            row: server_row(&tools, &server),
            tools: known.iter().map(tool_row).collect(),
            problems: server.binding().problems().to_vec(),
            can_restart: viewer.is_operator(),
            sign_in: self.server_sign_in(viewer, name).await?,
        })
    }

    /// Ends the connection to a server, also for calls that are active, and starts the server again.
    ///
    /// # Errors
    ///
    /// [`ConsoleError::OperatorsOnly`]; [`ConsoleError::NotFound`]; [`ConsoleError::Conflict`] if the
    /// server has no connection, or does not start again.
    pub async fn restart_server(
        &self,
        viewer: &Viewer,
        name: &str,
    ) -> Result<ServerDetail, ConsoleError> {
        operators_only(viewer)?;
        let tools = self.granted(viewer)?;
        let server = found(&tools, name)?;
        if !server.binding().restart() {
            return Err(ConsoleError::Conflict(
                "this server has no connection of its own, so it can't be restarted".to_owned(),
            ));
        }
        let started = server.binding().tools().await;
        started.map_err(|problem| ConsoleError::Conflict(problem.message))?;
        self.server(viewer, name).await
    }

    /// The tools that a viewer's scripts may call. An operator sees all of them.
    pub(super) fn granted(&self, viewer: &Viewer) -> Result<GrantedTools, ConsoleError> {
        let server = &self.sources().server;
        let (runtime, grant) = (server.runtime(), server.grant().clone());
        let tools = match viewer.is_operator() {
            true => runtime.tools(grant),
            false => runtime.tools_of(grant, viewer.owner(), Some(CLIENT)),
        };
        Ok(tools?.waiting())
    }
}

pub(super) fn found(tools: &GrantedTools, name: &str) -> Result<Arc<Server>, ConsoleError> {
    let mut servers = tools.servers();
    let found = servers.find(|server| &**server.name() == name);
    found.map(Arc::clone).ok_or(UNKNOWN)
}

fn server_row(tools: &GrantedTools, server: &Arc<Server>) -> ServerRow {
    let binding = server.binding();
    let known = tools.known_tools_of(server);
    let starting = binding.starting().is_some();
    ServerRow {
        name: server.name().to_string(),
        state: match binding.standing() {
            _ if starting => "starting",
            Some(standing) => standing,
            None => "ready",
        }
        .to_owned(),
        tools: known.map(|known| known.len() as u64),
        problem: binding.trouble(),
    }
}
