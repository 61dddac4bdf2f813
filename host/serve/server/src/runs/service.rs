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

/// How much of a run's output and result one answer holds, in bytes: about 10,000 tokens, above
/// which Claude Code warns.
const ANSWER_BYTES: usize = 40_000;
/// How many tokens of it one answer holds where that is not all: enough to see what it is.
pub(super) const CUT_TOKENS: usize = 4_000;
/// For how long a run waits for a person whom its client does not ask, until the client has its
/// answer: some give up after a minute.
const PERSON_WAIT: Duration = Duration::from_secs(30);

/// Starts runs, and knows those that there are. Clones share them.
#[derive(Clone)]
pub(crate) struct Runs {
    pub(crate) shared: Arc<Shared>,
    /// How much of a run's output and result one answer holds, in bytes.
    pub(crate) answer_bytes: usize,
    pub(crate) telemetry: Telemetry,
    /// Where people are asked in their clients, if they are.
    pub(crate) dialogues: Option<Dialogues>,
    /// Runs are tried first.
    pub(crate) previews: bool,
    /// For how long runs wait for people whom their clients don't ask, until those have an answer.
    pub(crate) person_wait: Duration,
    /// How clients are asked what a run's servers want to know.
    pub(super) form: RequestForm,
}

/// What all clones share.
pub(crate) struct Shared {
    pub(crate) runtime: Runtime,
    pub(crate) grant: Grant,
    pub(crate) components: ComponentSources,
    pub(crate) clients: ClientStates,
    pub(crate) registry: RunRegistry,
    /// Written while it is found out which parked runs this process goes on with.
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

    /// Where people are asked, if they are.
    pub(crate) fn asking(&self) -> Option<&Approvals> {
        let governance = self.shared.runtime.governance();
        governance.and_then(Governance::asking)
    }
}
