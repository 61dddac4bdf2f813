//! What all runs of a server share.

use std::sync::Arc;
use std::time::Duration;

use ampoule::governance::Governance;
use ampoule::{Error, Grant, Runtime};
use ampoule_approvals::Approvals;
use ampoule_telemetry::Telemetry;
use tokio::sync::RwLock;

use super::asking::dialogues::Dialogues;
use super::asking::question::RequestForm;
use super::clients::{Bounds, ClientStates};
use super::components::ComponentSources;
use super::registry::RunRegistry;
use super::stored_output::{self, StoredOutput};
use super::tool_usage::ToolUsage;

/// How much of a run's output and result one answer holds, in bytes: about 10,000 tokens, above
/// which Claude Code warns.
const ANSWER_BYTES: usize = 40_000;
/// How many tokens of it one answer holds if that is not all: enough to see what it is.
pub(super) const CUT_TOKENS: usize = 4_000;
/// How long a request waits for a person whom its client does not ask, until the client gets an
/// answer: some clients give up after a minute.
const PERSON_WAIT: Duration = Duration::from_secs(30);

/// Starts runs, and knows those that there are. Clones share them.
#[derive(Clone)]
pub(crate) struct Runs {
    pub(crate) shared: Arc<Shared>,
    /// How much of a run's output and result one answer holds, in bytes.
    pub(crate) answer_bytes: usize,
    pub(crate) telemetry: Telemetry,
    /// The dialogues for approvals in clients, if they are used.
    pub(crate) dialogues: Option<Dialogues>,
    /// Runs are previewed first.
    pub(crate) previews: bool,
    /// Where it is remembered which tools runs use, if it is.
    pub(crate) tool_usage: Option<ToolUsage>,
    /// For how long runs wait for people whom their clients don't ask, until those have an answer.
    pub(crate) person_wait: Duration,
    /// The form of questions to clients.
    pub(super) form: RequestForm,
}

/// What all clones share.
pub(crate) struct Shared {
    pub(crate) runtime: Runtime,
    /// What runs may call that no toolkit narrows.
    pub(crate) grant: Grant,
    pub(crate) components: ComponentSources,
    pub(crate) clients: ClientStates,
    pub(crate) registry: RunRegistry,
    /// Locked for writing until the parked runs that this process resumes are known.
    pub(super) resuming: Arc<RwLock<()>>,
}

impl Runs {
    /// Runs that may call what the grant says, and components from these sources. Clients are asked by
    /// requests of this form.
    ///
    /// # Errors
    ///
    /// A request error where the runtime's servers can't be looked at.
    pub(crate) fn new(
        runtime: Runtime,
        grant: Grant,
        components: ComponentSources,
        form: RequestForm,
    ) -> Result<Self, Error> {
        let can_store = StoredOutput::possible(&runtime)?;
        let listener = can_store.then(|| stored_output::listener_in(&runtime));
        let shared = Shared {
            runtime,
            grant,
            components,
            clients: ClientStates::new(listener, Bounds::default()),
            registry: RunRegistry::default(),
            resuming: Arc::default(),
        };
        Ok(Self {
            shared: Arc::new(shared),
            answer_bytes: ANSWER_BYTES,
            telemetry: Telemetry::new([], None),
            dialogues: None,
            previews: false,
            tool_usage: None,
            person_wait: PERSON_WAIT,
            form,
        })
    }

    /// Asks people in clients' own dialogues.
    pub(crate) fn ask_in(&mut self, dialogues: Dialogues) {
        let shared = Arc::downgrade(&self.shared);
        dialogues.beside(move || {
            let shared = shared.upgrade()?;
            shared.runtime.governance()?.asking().cloned()
        });
        self.dialogues = Some(dialogues);
    }

    /// The dialogues for approvals, if they are used.
    pub(crate) fn asking(&self) -> Option<&Approvals> {
        let governance = self.shared.runtime.governance();
        governance.and_then(Governance::asking)
    }
}
