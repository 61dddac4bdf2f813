//! Apps of tools (MCP Apps), for clients that show them: the tools that have one are tools of their
//! own, and what an app calls is called. An app knows the tools by the names that its server gave.

use std::collections::HashSet;
use std::sync::Arc;

use ampoule::{Error, Principal};
use ampoule_projection::Caller;
use ampoule_tools::{GrantedTools, ResolvedTool};
use futures::future::join_all;
use rmcp::RoleServer;
use rmcp::model::Tool;
use rmcp::service::RequestContext;
use tokio::time::timeout;

use super::asker::Asker;
use super::caller;
use super::client::Client;
use super::exposure::direct::{self, LIST, NAME};
use super::server::Server;

/// A tool that an app shows, or calls.
pub(super) struct AppTool {
    pub(super) tool: ResolvedTool,
    /// Who has it: of two, the model.
    pub(super) caller: Caller,
}

/// The tools of a server that has an app.
struct AppServer {
    of_model: Vec<ResolvedTool>,
    of_app: Vec<ResolvedTool>,
}

impl AppServer {
    /// Those of a server, if it has an app. One that does not say in time which tools it has is left
    /// out.
    async fn of(
        server: &Arc<ampoule_tools::Server>,
        granted: &GrantedTools,
        for_app: &GrantedTools,
    ) -> Option<Self> {
        let of_model = tools_of(server, granted).await?;
        let of_app = tools_of(server, for_app).await?;
        let mut all = of_model.iter().chain(&of_app);
        let has_app = all.any(|tool| tool.definition().app().is_some());
        has_app.then_some(Self { of_model, of_app })
    }

    /// Those that clients list.
    fn listed(self) -> impl Iterator<Item = AppTool> {
        let of_model = self.of_model.into_iter();
        let shown = of_model.filter(|tool| tool.definition().app().is_some());
        let shown = shown.map(|tool| AppTool {
            tool,
            caller: Caller::Model,
        });
        let of_app = self.of_app.into_iter();
        let of_app_alone = of_app.filter(|tool| !tool.definition().is_for(Caller::Model));
        shown.chain(of_app_alone.map(|tool| AppTool {
            tool,
            caller: Caller::App,
        }))
    }
}

async fn tools_of(
    server: &Arc<ampoule_tools::Server>,
    granted: &GrantedTools,
) -> Option<Vec<ResolvedTool>> {
    match granted.known_tools_of(server) {
        Some(known) => Some(known),
        None => timeout(LIST, granted.tools_of(server)).await.ok()?.ok(),
    }
}

impl Server {
    async fn app_servers(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<Vec<AppServer>, Error> {
        if !self.offer().exposure.apps {
            return Ok(Vec::new());
        }
        let granted = self.tools_of(principal, client)?;
        let for_app = granted.clone().for_app();
        let servers = granted.servers();
        let servers = servers.map(|server| AppServer::of(server, &granted, &for_app));
        Ok(join_all(servers).await.into_iter().flatten().collect())
    }

    /// The tools that a client lists for the sake of apps, beside those that it lists already.
    pub(super) async fn app_tools(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
        listed: &[Tool],
    ) -> Result<Vec<Tool>, Error> {
        let mut names: HashSet<String> = listed.iter().map(|it| it.name.to_string()).collect();
        let servers = self.app_servers(principal, client).await?;
        let tools = servers.into_iter().flat_map(AppServer::listed);
        let tools = tools.filter_map(|AppTool { tool, .. }| {
            let name = direct::name_of(&tool);
            let is_fit = name.len() <= NAME && names.insert(name.clone());
            is_fit.then(|| direct::as_listed(&name, &tool, &self.schemas))
        });
        Ok(tools.collect())
    }

    /// The tool that a client of apps means by this name: one that it lists, or by its server's own
    /// name one that an app may call.
    ///
    /// # Errors
    ///
    /// Which tools have the name, where several do.
    pub(super) async fn app_tool(
        &self,
        name: &str,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<Option<Result<AppTool, String>>, Error> {
        let servers = self.app_servers(principal, client).await?;
        let of_apps = servers.iter().flat_map(|server| &server.of_app);
        let named: Vec<_> = of_apps
            .filter(|tool| &**tool.name() == name)
            .cloned()
            .collect();
        let mut listed = servers.into_iter().flat_map(AppServer::listed);
        if let Some(listed) = listed.find(|it| direct::name_of(&it.tool) == name) {
            return Ok(Some(Ok(listed)));
        }
        Ok(match &named[..] {
            [] => None,
            [tool] => Some(Ok(AppTool {
                tool: tool.clone(),
                caller: Caller::App,
            })),
            several => {
                let names = several
                    .iter()
                    .map(|tool| format!("`{}`", direct::name_of(tool)));
                let names: Vec<String> = names.collect();
                Some(Err(format!(
                    "several servers with apps have a tool `{name}`: {}. Call it by one of these names",
                    names.join(", ")
                )))
            }
        })
    }
}

impl Client {
    /// Whether the client of a request has the tools of apps.
    pub(super) fn has_apps(&self, context: &RequestContext<RoleServer>) -> bool {
        self.server.offer().exposure.apps && caller::shows_apps(context)
    }

    /// The one server whose tools have the app of this address.
    pub(super) async fn server_of_app(&self, address: &str, asker: &Asker) -> Option<Arc<str>> {
        if !address.starts_with(crate::content::addresses::APP) {
            return None;
        }
        let servers = self.server.app_servers(asker.principal(), asker.client());
        let servers = servers.await;
        let servers = servers.ok()?;
        let mut with_it = servers.iter().filter_map(|server| {
            let mut all = server.of_model.iter().chain(&server.of_app);
            all.find(|tool| tool.definition().app() == Some(address))
        });
        let found = with_it.next()?;
        with_it.next().is_none().then(|| Arc::clone(found.server()))
    }
}
