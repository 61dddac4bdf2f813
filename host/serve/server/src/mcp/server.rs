//! What is served: runs, and the two tools by which clients start them.

use std::sync::Arc;

use ampoule::governance::Governance;
use ampoule::{Error, Grant, GrantedTools, Principal, Runtime};
use ampoule_telemetry::Telemetry;
use rmcp::model::Tool;

use super::{asks, tool_list};
use crate::runs::asking::dialogues::Dialogues;
use crate::runs::clients::ClientDescription;
use crate::runs::components::{ClientComponents, ComponentSources};
use crate::runs::service::Runs;

/// An MCP server that runs scripts, for as many clients as there are. It needs no binding to have
/// been started: what it says at first comes from what is known without waiting. Clones are the
/// same one.
#[derive(Clone)]
pub struct Server {
    pub(crate) runs: Runs,
    pub(super) offer: Arc<Offer>,
}

/// What clients are offered where policies don't say otherwise.
pub(super) struct Offer {
    /// What their scripts may call.
    pub(super) tools: GrantedTools,
    /// The two tools.
    pub(super) list: Arc<[Tool]>,
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
        let description = tool_list::description(&runs, &tools);
        let list = tool_list::tools(description, &runs.shared.components).into();
        Ok(Self {
            runs,
            offer: Arc::new(Offer { tools, list }),
        })
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

    /// What a client's scripts may call, without what does not exist for it.
    pub(super) fn tools_of(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<GrantedTools, Error> {
        let shared = &self.runs.shared;
        match self.policies() {
            Some(_) => (shared.runtime).tools_of(shared.grant.clone(), principal, client),
            None => Ok(self.offer.tools.clone()),
        }
    }

    /// What a client is offered. The description of `execute_code` names no tool that does not exist
    /// for it. It stays as it is while policies do: clients keep it, and so do models.
    pub(super) fn offered(
        &self,
        principal: Option<&Principal>,
        client: Option<&str>,
    ) -> Result<Arc<[Tool]>, Error> {
        let Some(governance) = self.policies() else {
            return Ok(Arc::clone(&self.offer.list));
        };
        let shared = &self.runs.shared;
        let list = |description| Arc::from(tool_list::tools(description, &shared.components));
        let state = shared.clients.of(principal);
        let fingerprint = governance.fingerprint();
        if let Some(known) = &*state.description.lock()
            && known.client.as_deref() == client
            && known.fingerprint == fingerprint
        {
            return Ok(list(known.text.clone()));
        }
        let text = tool_list::description(&self.runs, &self.tools_of(principal, client)?);
        *state.description.lock() = Some(ClientDescription {
            client: client.map(ToOwned::to_owned),
            fingerprint,
            text: text.clone(),
        });
        Ok(list(text))
    }
}
