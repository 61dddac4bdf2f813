//! What is served: runs, and the tools by which clients start them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use ampoule::governance::Governance;
use ampoule::{Error, Grant, GrantedTools, Principal, Runtime};
use ampoule_telemetry::Telemetry;
use ampoule_tools::ResolvedTool;
use rmcp::model::Tool;
use tokio::sync::watch;

use super::exposure::direct::{self, DirectTools, FlatSchemas};
use super::exposure::warnings::Warnings;
use super::exposure::{Exposure, Standing};
use super::toolkit::{Offer, OfferCell, OfferedToolkits, Toolkit};
use super::watching::shares::Shares;
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
    /// What its clients are offered.
    offer: OfferCell,
    toolkits: OfferedToolkits,
    /// What the log says of how tools are shown.
    warnings: Arc<Warnings>,
    /// The schemas of direct tools, as clients take them.
    pub(super) schemas: Arc<FlatSchemas>,
    /// How many resources each principal hears of, and by how many streams and requests.
    pub(crate) subscriptions: Arc<Shares>,
    pub(crate) streams: Arc<Shares>,
}

/// Of how many resources each principal hears.
const SUBSCRIPTIONS: usize = 1_000;
/// By how many streams and requests that stay open.
const STREAMS: usize = 256;

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
        let runs = Runs::new(runtime, grant.clone(), components, asks::form)?;
        Ok(Self {
            runs,
            offer: OfferCell::new(Offer::all(grant, tools, Exposure::default())),
            toolkits: OfferedToolkits::default(),
            warnings: Arc::default(),
            schemas: Arc::default(),
            subscriptions: Shares::new(SUBSCRIPTIONS),
            streams: Shares::new(STREAMS),
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
        let before = self.offer();
        let offer = Offer::all(before.grant.clone(), before.tools.clone(), exposure);
        self.offer = OfferCell::new(offer);
        self.warn_of_idle(&self.offer());
        self
    }

    /// Makes these its toolkits, by name: [Http](crate::http::Http) serves each at an address of its
    /// own. May be called again while clients are connected: they are offered what their toolkit has
    /// from then on, and nothing where it is gone. Runs that have begun keep their tools.
    ///
    /// # Errors
    ///
    /// A request error where the server's own grant names a server that is not configured.
    pub fn set_toolkits(&self, toolkits: BTreeMap<String, Toolkit>) -> Result<(), Error> {
        let shared = &self.runs.shared;
        let offers = (self.toolkits).replace(toolkits, &shared.grant, &shared.runtime)?;
        for offer in offers {
            self.warn_of_idle(&offer);
        }
        Ok(())
    }

    /// The server as clients of one of its toolkits have it: the same runs, for an operator, and the
    /// toolkit's tools. None for an unknown toolkit.
    pub fn toolkit(&self, name: &str) -> Option<Self> {
        let offer = self.toolkits.get(name)?;
        Some(Self {
            offer,
            ..self.clone()
        })
    }

    /// The names of its toolkits.
    pub fn toolkits(&self) -> Vec<Arc<str>> {
        self.toolkits.names()
    }

    /// What its clients are offered now.
    pub(crate) fn offer(&self) -> Arc<Offer> {
        self.offer.get()
    }

    /// Tells when its clients are offered something else.
    pub(super) fn offers(&self) -> watch::Receiver<Arc<Offer>> {
        self.offer.changes()
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
        self.policies().is_none() && self.listed_usage(&self.offer()).is_none()
    }

    /// What is known of the tools that runs use, if the description lists these.
    fn listed_usage(&self, offer: &Offer) -> Option<&ToolUsage> {
        self.runs.tool_usage.as_ref().filter(|_| offer.lists_used)
    }

    /// What a client's scripts may call, without what does not exist for it.
    pub(super) fn tools_of(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<GrantedTools, Error> {
        self.offered_tools(&self.offer(), principal, client)
    }

    fn offered_tools(
        &self,
        offer: &Offer,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<GrantedTools, Error> {
        let runtime = &self.runs.shared.runtime;
        match self.policies() {
            Some(_) => runtime.tools_of(offer.grant.clone(), principal, client),
            None => Ok(offer.tools.clone()),
        }
    }

    /// The tools that a client sees as tools of their own.
    async fn direct_tools(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<DirectTools, Error> {
        let offer = self.offer();
        if offer.exposure.direct.is_empty() {
            return Ok(DirectTools::default());
        }
        let tools = self.offered_tools(&offer, principal, client)?;
        Ok(DirectTools::of(&offer.exposure, &tools, &self.warnings).await)
    }

    /// The tool that a client sees as a tool of its own by this name, if there is one; or why it is not
    /// known which that is.
    pub(super) async fn direct_tool(
        &self,
        name: &str,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<Option<Result<ResolvedTool, String>>, Error> {
        let offer = self.offer();
        if offer.exposure.direct.is_empty() {
            return Ok(None);
        }
        let tools = self.offered_tools(&offer, principal, client)?;
        Ok(DirectTools::named(name, &offer.exposure, &tools, &self.warnings).await)
    }

    /// The tool that a client sees as a tool of its own by this name, as it is listed, if it is known
    /// without waiting for its server.
    pub(super) fn known_direct_tool(
        &self,
        name: &str,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Option<Tool> {
        let offer = self.offer();
        if offer.exposure.direct.is_empty() {
            return None;
        }
        let tools = self.offered_tools(&offer, principal, client).ok()?;
        let tool = DirectTools::known(name, &offer.exposure, &tools, &self.warnings)?;
        Some(direct::as_listed(name, &tool, &self.schemas))
    }

    /// The name by which a client sees a tool as a tool of its own, if it does.
    pub(super) async fn direct_name(
        &self,
        tool: &ResolvedTool,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Option<String> {
        if self.offer().exposure.standing(tool) != Standing::Direct {
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
        let offer = self.offer();
        let tools = self.offered_tools(&offer, principal, client)?;
        let direct = DirectTools::waited_for(&offer.exposure, &tools, &self.warnings).await;
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
        let offer = self.offer();
        if !direct.is_incomplete() {
            self.warn_of_idle(&offer);
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
            direct: (!offer.exposure.direct.is_empty()).then_some(fingerprint),
            is_incomplete: direct.is_incomplete(),
        })
    }

    /// Logs which patterns mean no tool, as far as the tools of servers are known.
    fn warn_of_idle(&self, offer: &Offer) {
        for idle in offer.idle() {
            self.warnings.once(idle);
        }
    }

    /// Ampoule's own tools for clients of which nothing is known.
    pub(super) fn own_tools_of_all(&self) -> Arc<[Tool]> {
        let offer = self.offer();
        let tools = offer.own_tools.get_or_init(|| {
            let text = self.described(&offer, &offer.tools, &[]);
            self.own_tools_described(text)
        });
        Arc::clone(tools)
    }

    fn own_tools_described(&self, text: String) -> Arc<[Tool]> {
        let shared = &self.runs.shared;
        tool_list::tools(text, &shared.components, shared.runtime.has_undo()).into()
    }

    fn described(&self, offer: &Offer, tools: &GrantedTools, hot: &[ToolName]) -> String {
        let text = tool_list::description(&self.runs, tools, &offer.exposure, hot, &self.warnings);
        match &offer.description {
            Some(first) => format!("{first}\n\n{text}"),
            None => text,
        }
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
            return Ok(self.own_tools_of_all());
        }
        let (shared, offer) = (&self.runs.shared, self.offer());
        let state = shared.clients.of(principal, offer.toolkit());
        let fingerprint = policies.map_or_else(String::new, Governance::fingerprint);
        let fingerprint = format!("{} {fingerprint}", offer.number);
        if let Some(known) = &*state.description.lock()
            && known.client.as_deref() == client
            && known.fingerprint == fingerprint
        {
            return Ok(self.own_tools_described(known.text.clone()));
        }
        let hot = self.listed_usage(&offer);
        let hot = hot.map_or_else(Vec::new, |usage| usage.hot(principal));
        let tools = self.offered_tools(&offer, principal, client)?;
        let text = self.described(&offer, &tools, &hot);
        *state.description.lock() = Some(ClientDescription {
            client: client.map(ToOwned::to_owned),
            fingerprint,
            text: text.clone(),
        });
        Ok(self.own_tools_described(text))
    }
}
