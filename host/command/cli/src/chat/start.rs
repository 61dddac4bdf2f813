//! From the configuration and the command line to an agent.

use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ampoule::{Grant, GuestKind, Runtime};
use ampoule_chat::agent::{self, Agent, AgentParts, Event, EventReceiver, EventSender, Prices};
use ampoule_chat::conversation::{ConversationName, ConversationStore};
use ampoule_chat::endpoint::{Choice, Endpoint};
use ampoule_chat::tools::{CallWatch, Respondent, Toolbox};
use ampoule_config::{ChatConfig, Tls};
use ampoule_configured::governed::{self, GovernanceSetup};
use ampoule_server::Server;
use tokio::task::JoinSet;

use super::interrupt::{Interruption, Signals};
use super::options::{ChatOptions, ModelOptions};
use crate::asking::Person;
use crate::exit::Failure;
use crate::governance::Purpose;
use crate::serve::{self, USED_TOOLS};
use crate::setup::{ConfiguredRuntime, Remarks};
use crate::streams;

/// The folder of conversations, in the user's data folder.
const CHATS: &str = "chats";

/// An agent, and what it needs as long as it is there.
pub(super) struct OpenChat {
    pub(super) agent: Agent,
    pub(super) events: EventReceiver,
    pub(super) runtime: Runtime,
    /// What its scripts may call.
    pub(super) grant: Grant,
    /// Where the conversation is saved, if it is.
    pub(super) store: Option<ConversationStore>,
    /// The conversation was there before.
    pub(super) is_continued: bool,
    /// Who is at the terminal.
    pub(super) person: Option<Person>,
    /// When the chat began.
    pub(super) begun: Instant,
    pub(super) since: SystemTime,
    governed: Option<GovernanceSetup>,
    beside: JoinSet<()>,
}

/// Who is asked what during the runs of an agent.
pub(super) struct Asking {
    /// About approvals.
    pub(super) approvals: Purpose,
    /// What servers ask.
    pub(super) respondent: Option<Arc<dyn Respondent>>,
    /// Who is at the terminal, if somebody is.
    pub(super) person: Option<Person>,
    pub(super) sender: EventSender,
    pub(super) events: EventReceiver,
}

/// Whether the conversation has a name where the command line has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    Always,
    IfAsked,
}

impl ChatOptions {
    /// Starts an agent, unless a signal comes first.
    pub(super) async fn start(
        &self,
        asking: Asking,
        naming: Naming,
        signals: &mut Signals,
    ) -> Result<Result<OpenChat, Interruption>, Failure> {
        let Asking {
            approvals,
            respondent,
            person,
            sender,
            events,
        } = asking;
        let watch = CallWatch::new(sender.clone());
        let configured = self.setup.chatting(watch, &approvals)?;
        let grant = self.grant(&configured)?;
        let endpoint = self.model.endpoint(&configured.chat, &configured.tls)?;
        let prices = prices(&configured.chat);
        let bounds = self.bounds.bounds(prices.is_some())?;
        let store = self.store(naming)?;
        let conversation = match &store {
            Some(store) => store
                .read()
                .map_err(|error| Failure::usage(error.to_string()))?,
            None => ampoule_chat::conversation::Conversation::default(),
        };
        let is_continued = !conversation.messages.is_empty();
        say_remarks(&configured.remarks, &grant);
        let server = self.server(&configured, &grant)?;
        let session = store.as_ref().map(|store| store.name().to_string());
        let events_of_agent = sender.clone();
        let connecting = async {
            let toolbox = Toolbox::connect(server, respondent).await?;
            let parts = AgentParts {
                endpoint,
                toolbox,
                conversation,
                session: session.clone(),
                bounds,
                prices,
                events: events_of_agent,
            };
            Agent::new(parts).await
        };
        // A server may take its time.
        let agent = match signals.unless(connecting).await {
            Ok(agent) => agent.map_err(|error| Failure::host(&error))?,
            Err(signal) => {
                // One more signal does not wait for that.
                let _ = signals.unless(configured.runtime.close()).await;
                return Ok(Err(signal));
            }
        };
        sender.send(Event::Begin {
            model: agent.endpoint().model().to_owned(),
            endpoint: agent.endpoint().shown_address(),
            session,
            tools: agent.tools().iter().map(|tool| tool.name.clone()).collect(),
        });
        let mut beside = JoinSet::new();
        let warm = configured.runtime.clone();
        beside.spawn(async move {
            // The first script reports a failure.
            let _ = serve::warm_up(&warm, GuestKind::JavaScript).await;
        });
        Ok(Ok(OpenChat {
            agent,
            events,
            runtime: configured.runtime,
            grant,
            store,
            is_continued,
            person,
            begun: Instant::now(),
            since: SystemTime::now(),
            governed: configured.governed,
            beside,
        }))
    }

    /// What scripts may call.
    fn grant(&self, configured: &ConfiguredRuntime) -> Result<Grant, Failure> {
        let grant = self.tools.clone().unwrap_or_else(Grant::all);
        self.toolkit.narrow(grant, &configured.toolkits)
    }

    /// The server, as `ampoule serve` makes it.
    fn server(&self, configured: &ConfiguredRuntime, narrowed: &Grant) -> Result<Server, Failure> {
        let grant = self.tools.clone().unwrap_or_else(Grant::all);
        configured.remarks.refuse(narrowed)?;
        let mut server = configured.server_without_toolkits(grant, None)?;
        if let Some(folder) = ampoule::cache_folder().filter(|_| configured.counts_tools) {
            server = server.remember_tools(folder.join(USED_TOOLS));
        }
        let name = narrowed.toolkit().map(|toolkit| toolkit.name().clone());
        let Some(name) = name else {
            return Ok(server);
        };
        configured.set_toolkits(&server)?;
        let gone = || {
            Failure::usage(format!(
                "--toolkit {name}: it is gone from the configuration"
            ))
        };
        server.toolkit(&name).ok_or_else(gone)
    }

    /// Where the conversation is saved.
    fn store(&self, naming: Naming) -> Result<Option<ConversationStore>, Failure> {
        let name = match (&self.session, naming) {
            (Some(name), _) => name.clone(),
            (None, Naming::Always) => new_name()?,
            (None, Naming::IfAsked) => return Ok(None),
        };
        let Some(folder) = ampoule::data_folder() else {
            return Err(Failure::usage(
                "no data folder was found for the conversation: set HOME or XDG_DATA_HOME",
            ));
        };
        let store = ConversationStore::open(folder.join(CHATS), name);
        store
            .map(Some)
            .map_err(|error| Failure::usage(error.to_string()))
    }
}

/// A name that no other conversation has.
fn new_name() -> Result<ConversationName, Failure> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let name = format!("chat-{}-{}", now.as_secs(), std::process::id());
    name.parse().map_err(Failure::usage)
}

fn say_remarks(remarks: &Remarks, grant: &Grant) {
    remarks.say_origin();
    for disabled in remarks.disabled(grant) {
        streams::err().warning(disabled);
    }
    for note in remarks.notes() {
        streams::err().warning(note);
    }
}

/// The prices, if they are configured.
pub(super) fn prices(config: &ChatConfig) -> Option<Prices> {
    let prices = config.prices.as_ref()?;
    Some(Prices {
        input: prices.input.amount(),
        cached: prices.cached.map(|price| price.amount()),
        written: prices.cache_write.map(|price| price.amount()),
        output: prices.output.amount(),
    })
}

impl ModelOptions {
    /// The endpoint; the command line counts before the configuration.
    pub(super) fn endpoint(&self, config: &ChatConfig, tls: &Tls) -> Result<Endpoint, Failure> {
        let ChatConfig {
            model,
            endpoint,
            key,
            ..
        } = config.clone();
        let configured_endpoint = endpoint.clone();
        let endpoint = self.endpoint.clone().or(endpoint);
        // The configured key is for the configured endpoint alone.
        let key = key.filter(|_| endpoint == configured_endpoint);
        let choice = Choice {
            endpoint,
            model: self.model.clone().or(model),
            key: key.map(|key| key.0),
        };
        let variable = |name: &str| std::env::var(name).ok();
        let endpoint = Endpoint::new(choice, tls, &variable);
        endpoint.map_err(|error| Failure::usage(error.to_string()))
    }
}

impl OpenChat {
    /// Saves the conversation, if it has a name.
    pub(super) fn save(&self) {
        if let Some(store) = &self.store
            && let Err(error) = store.write(self.agent.conversation())
        {
            streams::err().warning(error.to_string());
        }
    }

    /// Ends all that was started.
    pub(super) async fn close(self) {
        let Self {
            agent,
            runtime,
            governed,
            mut beside,
            ..
        } = self;
        agent.close().await;
        beside.shutdown().await;
        runtime.close().await;
        governed::closed(governed).await;
    }
}

/// A way for events; what is asked at the terminal, if somebody is there.
pub(super) fn asking_at_terminal() -> Asking {
    let person = Person::at_terminal();
    let (sender, events) = agent::channel();
    Asking {
        approvals: Purpose::Agent(person.clone()),
        respondent: person
            .clone()
            .map(|person| Arc::new(person) as Arc<dyn Respondent>),
        person,
        sender,
        events,
    }
}
