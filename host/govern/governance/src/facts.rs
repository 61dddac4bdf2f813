//! What is known of a run: before it begins, and when it is over.

use std::sync::Arc;
use std::time::Duration;

use ampoule_approvals::ApprovedPlan;
use ampoule_policy::{Caller, RunLabels};
use ampoule_tools::{Principal, RunId};
use serde::{Deserialize, Serialize};

/// What policies call the local user, on whose behalf runs happen that name nobody.
pub const LOCAL: &str = "local";

/// What is known of a run before it begins.
#[derive(Debug, Clone)]
pub struct RunFacts {
    /// Its id.
    pub id: RunId,
    /// On whose behalf it happens. `None` is the local user, whom policies call [`LOCAL`].
    pub principal: Option<Principal>,
    /// The client's name, as it says itself.
    pub client: Option<Arc<str>>,
    /// The toolkit that it is within, by name.
    pub toolkit: Option<Arc<str>>,
    /// The session that it is a run of.
    pub session: Option<Arc<str>>,
    /// Among which runs of the principal a token of personal data stands for the same: those with
    /// the same text here. `None`: those of the session, or, without one, this run alone. What those
    /// had read that gave the model its tokens, is kept with them.
    pub tokens: Option<Arc<str>>,
    /// The script's language; `component`, `call` for a call without a script, or `undo`.
    pub language: Arc<str>,
    /// The digest of the script.
    pub script: Arc<str>,
    /// The servers that this run alone has. Policies know nothing of them, and a program that gives
    /// them to it answers for them: their calls are counted and recorded, and not decided.
    pub own: Vec<Arc<str>>,
    /// How many tools it was granted.
    pub tools: Option<u64>,
    /// What its session, its skills and its files bring along.
    pub carried: CarriedLabels,
    /// What somebody has approved of it, if it was tried first: of what may change something, it
    /// makes exactly these calls.
    pub plan: Option<Arc<ApprovedPlan>>,
    /// The run whose calls it takes back: its own calls count as destructive, whatever their tools say.
    pub undoes: Option<RunId>,
}

impl RunFacts {
    /// A run of the local user's, of which nothing else is known.
    pub fn new(id: RunId) -> Self {
        Self {
            id,
            principal: None,
            client: None,
            toolkit: None,
            session: None,
            tokens: None,
            language: "".into(),
            script: "".into(),
            own: Vec::new(),
            tools: None,
            carried: CarriedLabels::default(),
            plan: None,
            undoes: None,
        }
    }

    /// Who does something, as policies look at it.
    pub(crate) fn caller(&self) -> Caller {
        Caller {
            client: self.client.clone().unwrap_or_default(),
            toolkit: self.toolkit.clone().unwrap_or_default(),
            ..caller(self.principal.as_ref())
        }
    }

    /// Who asks, as people see it.
    pub(crate) fn asks_as(&self) -> ampoule_approvals::Caller {
        let text = |text: &Option<Arc<str>>| text.as_ref().map(|text| text.to_string());
        ampoule_approvals::Caller {
            run: self.id.to_string(),
            principal: self.principal.as_ref().map(|it| it.name().to_string()),
            client: text(&self.client),
            toolkit: text(&self.toolkit),
            session: text(&self.session),
        }
    }

    /// What names the table of its tokens, among those of all principals.
    pub(crate) fn table(&self) -> Option<Arc<str>> {
        let tokens = self.tokens.as_ref().or(self.session.as_ref())?;
        let principal = self.principal.as_ref().map(Principal::name);
        // No name has a zero, so no two of these are the same text.
        let (kind, principal) = principal.map_or(("local", ""), |name| ("of", name));
        Some(format!("{kind}\0{principal}\0{tokens}").into())
    }
}

/// Somebody, as policies look at them, by no client and within no toolkit; the local user if nobody is
/// named.
pub(crate) fn caller(principal: Option<&Principal>) -> Caller {
    Caller {
        principal: principal.map_or_else(|| LOCAL.into(), |it| Arc::clone(it.name())),
        groups: principal.map_or_else(Vec::new, |it| it.groups().to_vec()),
        client: "".into(),
        toolkit: "".into(),
    }
}

/// What outlives a run: whatever keeps what it read, such as a session, a skill or a file, keeps
/// this with it, and brings it along where that is read again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct CarriedLabels {
    /// What was read, as far as policies care.
    #[serde(skip_serializing_if = "RunLabels::is_empty")]
    pub labels: RunLabels,
    /// Whether something was read from a tool whose data is looked at for personal data.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub looked_at: bool,
}

impl CarriedLabels {
    /// Whether there is nothing to be kept.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && !self.looked_at
    }

    /// This, and what something else brings.
    pub fn join(&mut self, other: &Self) {
        self.labels.join(&other.labels);
        self.looked_at |= other.looked_at;
    }
}

/// What is known of a run that is over.
#[derive(Debug, Clone, Default)]
pub struct EndFacts {
    /// `returned`, `threw`, `trapped`, `limit`, `cancelled`, and the like.
    pub outcome: Arc<str>,
    /// The limit that was hit.
    pub limit: Option<Arc<str>>,
    /// The fuel that it used.
    pub fuel: u64,
    /// How long it took.
    pub took: Duration,
    /// How long it had an isolate.
    pub isolate_time: Duration,
    /// How many calls it made.
    pub calls: u64,
    /// The bytes that its calls brought.
    pub bytes: u64,
    /// The tokens that the model read and wrote for it.
    pub model_tokens: Option<u64>,
    /// The tokens that the same calls would have cost, made directly.
    pub direct_tokens: Option<u64>,
}
