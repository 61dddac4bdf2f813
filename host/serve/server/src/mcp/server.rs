//! What is served: runs, and the tools by which clients start them.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use ampoule::governance::Governance;
use ampoule::{Error, Grant, GrantedTools, Principal, Runtime};
use ampoule_telemetry::Telemetry;
use ampoule_tools::ResolvedTool;
use rmcp::model::Tool;

use super::exposure::direct::{self, DirectTools, FlatSchemas};
use super::exposure::warnings::Warnings;
use super::exposure::{Exposure, Standing};
use super::{asks, tool_list};
use crate::runs::asking::dialogues::Dialogues;
use crate::runs::clients::ClientDescription;
use crate::runs::components::{ClientComponents, ComponentSources};
use crate::runs::service::Runs;
use crate::runs::tool_usage::{ToolName, ToolUsage};

/// An MCP server that runs scripts, for as many clients as there are. It needs no binding to have
/// been started: what it says at first comes from what is known without waiting. Clones are the
/// same one.
#[derive(Clone)]
pub struct Server {
    pub(crate) runs: Runs,
    pub(super) offer: Arc<Offer>,
    /// How tools are shown.
    pub(super) exposure: Arc<Exposure>,
    /// What the log says of that.
    warnings: Arc<Warnings>,
    /// The schemas of direct tools, as clients take them.
    pub(super) schemas: Arc<FlatSchemas>,
}

/// The sender of a request for the list of tools.
pub(super) struct ListReader<'a> {
    pub(super) principal: Option<&'a Principal>,
    pub(super) client: Option<&'a str>,
    /// Whether the client has `call_tool`.
    pub(super) has_call_tool: bool,
    /// Whether the client shows the apps of tools.
    pub(super) has_apps: bool,
}

/// The tools that a client sees.
pub(super) struct ToolOffer {
    pub(super) list: Vec<Tool>,
    /// The fingerprint of those that are direct; none if there are none.
    pub(super) direct: Option<u64>,
    /// A server did not say in time which tools it has.
    pub(super) is_incomplete: bool,
}

/// What clients are offered where policies don't say otherwise.
pub(super) struct Offer {
    /// What their scripts may call.
    pub(super) tools: GrantedTools,
    /// The two tools, from the moment that somebody asks for them.
    list: OnceLock<Arc<[Tool]>>,
}

impl Server {
    /// A server whose scripts may call what the grant says, and whose clients may run these
    /// components.
    ///
    /// # Errors
    ///
    /// A request error where the grant names a server that is not configured; a configuration error
    /// where the folder of components can't be opened.
    pub fn new(
        runtime: Runtime,
        grant: Grant,
        components: &ClientComponents,
    ) -> Result<Self, Error> {
        let tools = runtime.tools(grant.clone())?;
        for idle in tools.idle_patterns() {
            // The upstream may have other tools by now, or later.
            tracing::warn!("{}", idle.message);
        }
        let components = ComponentSources::new(components)?;
        let runs = Runs::new(runtime, grant, components, asks::form)?;
        Ok(Self {
            runs,
            offer: Arc::new(Offer::of(tools)),
            exposure: Arc::default(),
            warnings: Arc::default(),
            schemas: Arc::default(),
        })
    }

    /// Remembers in this folder which tools the runs of each principal use: the descriptions of later
    /// servers list these first. Default: nowhere.
    #[must_use]
    pub fn remember_tools(mut self, folder: impl Into<PathBuf>) -> Self {
        self.runs.tool_usage = Some(ToolUsage::new(folder.into()));
        self
    }

    /// Shows tools so to clients' models. Default: as far as there is room.
    #[must_use]
    pub fn exposure(mut self, exposure: Exposure) -> Self {
        let tools = self.offer.tools.clone();
        let exposure = exposure.among(&tools);
        for idle in exposure.idle(&tools) {
            self.warnings.once(idle);
        }
        self.offer = Arc::new(Offer::of(tools));
        self.exposure = Arc::new(exposure);
        self
    }

    /// How much of a run's output and result one answer holds, in bytes. Default 40,000. Of what is
    /// more, it holds at most 4,000 tokens; the client's next script can read the rest.
    #[must_use]
    pub fn answer_bytes(mut self, most: usize) -> Self {
        self.runs.answer_bytes = most;
        self
    }

    /// Reports requests and runs to this telemetry. Its layer in the runtime reports calls.
    #[must_use]
    pub fn telemetry(mut self, telemetry: Telemetry) -> Self {
        self.runs.telemetry = telemetry;
        self
    }

    /// Asks people in clients' own dialogues, if the runtime's governance names these as a place.
    #[must_use]
    pub fn dialogues(mut self, dialogues: Dialogues) -> Self {
        self.runs.ask_in(dialogues);
        self
    }

    /// Has every run [previewed](ampoule::Isolate::preview): all calls that it would make are
    /// approved as one.
    #[must_use]
    pub fn previews(mut self) -> Self {
        self.runs.previews = true;
        self
    }

    /// Resumes the runs that were parked when the previous process stopped. From the call on,
    /// clients that ask for one of these wait until the parked runs are known.
    pub fn resume_parked(&self) -> impl Future<Output = ()> + Send + use<> {
        self.runs.resume_parked()
    }

    /// What was parked stays so when this process ends, for the next one.
    pub fn suspend(&self) {
        self.runs.shared.runtime.suspend();
    }

    /// The policies, if there are any.
    pub(super) fn policies(&self) -> Option<&Governance> {
        let governance = self.runs.shared.runtime.governance();
        governance.filter(|governance| governance.has_policies())
    }

    /// Whether all clients are told the same of tools: no policy keeps some from them, and nothing is
    /// known of what they use.
    pub(super) fn is_the_same_for_all(&self) -> bool {
        self.policies().is_none() && self.runs.tool_usage.is_none()
    }

    /// What a client's scripts may call, without what does not exist for it.
    pub(super) fn tools_of(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<GrantedTools, Error> {
        let shared = &self.runs.shared;
        match self.policies() {
            Some(_) => shared.tools_of(principal, client),
            None => Ok(self.offer.tools.clone()),
        }
    }

    /// The tools that a client sees as tools of their own.
    async fn direct_tools(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<DirectTools, Error> {
        if self.exposure.direct.is_empty() {
            return Ok(DirectTools::default());
        }
        let tools = self.tools_of(principal, client)?;
        Ok(DirectTools::of(&self.exposure, &tools, &self.warnings).await)
    }

    /// The tool that a client sees as a tool of its own by this name, if there is one; or why it is not
    /// known which that is.
    pub(super) async fn direct_tool(
        &self,
        name: &str,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<Option<Result<ResolvedTool, String>>, Error> {
        if self.exposure.direct.is_empty() {
            return Ok(None);
        }
        let tools = self.tools_of(principal, client)?;
        Ok(DirectTools::named(name, &self.exposure, &tools, &self.warnings).await)
    }

    /// The name by which a client sees a tool as a tool of its own, if it does.
    pub(super) async fn direct_name(
        &self,
        tool: &ResolvedTool,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Option<String> {
        if self.exposure.standing(tool) != Standing::Direct {
            return None;
        }
        let name = direct::name_of(tool);
        let found = self.direct_tool(&name, principal, client).await;
        matches!(found, Ok(Some(Ok(_)))).then_some(name)
    }

    /// The fingerprint of a client's direct tools, once all of their servers have said which tools
    /// they have.
    pub(super) async fn all_direct_tools(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<u64, Error> {
        let tools = self.tools_of(principal, client)?;
        let direct = DirectTools::waited_for(&self.exposure, &tools, &self.warnings).await;
        Ok(direct::fingerprint(&direct.list(&self.schemas)))
    }

    /// The tools that a client sees.
    pub(super) async fn offered(&self, reader: ListReader<'_>) -> Result<ToolOffer, Error> {
        let ListReader {
            principal,
            client,
            has_call_tool,
            has_apps,
        } = reader;
        let mut list = self.own_tools(principal, client)?.to_vec();
        if has_call_tool {
            list.push(tool_list::call_tool());
        }
        let direct = self.direct_tools(principal, client).await?;
        if !direct.is_incomplete() {
            self.warn_of_idle();
        }
        let listed = direct.list(&self.schemas);
        let fingerprint = direct::fingerprint(&listed);
        list.extend(listed);
        if has_apps {
            let of_apps = self.app_tools(principal, client, &list).await?;
            list.extend(of_apps);
        }
        Ok(ToolOffer {
            list,
            direct: (!self.exposure.direct.is_empty()).then_some(fingerprint),
            is_incomplete: direct.is_incomplete(),
        })
    }

    /// Logs which patterns mean no tool, as far as the tools of servers are known.
    fn warn_of_idle(&self) {
        for idle in self.exposure.idle(&self.offer.tools) {
            self.warnings.once(idle);
        }
    }

    /// Ampoule's own tools for clients of which nothing is known.
    pub(super) fn own_tools_of_all(&self) -> &Arc<[Tool]> {
        self.offer.list.get_or_init(|| {
            let text = self.described(&self.offer.tools, &[]);
            tool_list::tools(text, &self.runs.shared.components).into()
        })
    }

    fn described(&self, tools: &GrantedTools, hot: &[ToolName]) -> String {
        tool_list::description(&self.runs, tools, &self.exposure, hot, &self.warnings)
    }

    /// Ampoule's own tools. The description of `execute_code` names no tool that does not exist for
    /// the client. It stays as it is while policies do: clients keep it, and so do models.
    pub(crate) fn own_tools(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<Arc<[Tool]>, Error> {
        let policies = self.policies();
        if self.is_the_same_for_all() {
            return Ok(Arc::clone(self.own_tools_of_all()));
        }
        let shared = &self.runs.shared;
        let state = shared.clients.of(principal);
        let fingerprint = policies.map_or_else(String::new, Governance::fingerprint);
        if let Some(known) = &*state.description.lock()
            && known.client.as_deref() == client
            && known.fingerprint == fingerprint
        {
            return Ok(tool_list::tools(known.text.clone(), &shared.components).into());
        }
        let hot = self.runs.tool_usage.as_ref();
        let hot = hot.map_or_else(Vec::new, |usage| usage.hot(principal));
        let text = self.described(&self.tools_of(principal, client)?, &hot);
        *state.description.lock() = Some(ClientDescription {
            client: client.map(ToOwned::to_owned),
            fingerprint,
            text: text.clone(),
        });
        Ok(tool_list::tools(text, &shared.components).into())
    }
}

impl Offer {
    /// What clients are offered whose scripts may call these tools.
    fn of(tools: GrantedTools) -> Self {
        Self {
            tools,
            list: OnceLock::new(),
        }
    }
}
