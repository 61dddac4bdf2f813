//! Governance learns which tools there are: it knows no others.

use std::sync::Arc;

use ampoule_governance::{Governance, KnownServer};
use ampoule_projection::Tool;
use ampoule_tools::Binding;
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;

/// What governance knows of the bindings' tools.
pub(super) struct BindingLists {
    pub(super) governance: Governance,
    bindings: Vec<Arc<dyn Binding>>,
    told: Mutex<Vec<ToolLists>>,
    /// Held while it learns: the last list arrives last.
    turn: tokio::sync::Mutex<()>,
}

/// A binding's tools, and what it has besides.
type ToolLists = (Option<Arc<[Tool]>>, Arc<[Tool]>);

impl BindingLists {
    pub(super) fn new(governance: Governance, bindings: Vec<Arc<dyn Binding>>) -> Self {
        Self {
            governance,
            bindings,
            told: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        }
    }

    /// Lists all tools that are known now. Takes as long as policies take to be made.
    pub(super) fn tell(&self) -> Result<(), String> {
        let known: Vec<KnownServer> = self
            .bindings
            .iter()
            .map(|it| KnownServer::of(&**it))
            .collect();
        let lists = known
            .iter()
            .map(|one| (one.tools.clone(), Arc::clone(&one.offered)));
        let lists = lists.collect();
        let renewed = self.governance.tools_changed(known);
        // Those that can't be sent need not be sent again.
        *self.told.lock() = lists;
        renewed.map_err(|problems| problems.to_string())
    }

    /// Waits until governance knows this list of a binding's tools.
    pub(super) async fn of(self: &Arc<Self>, place: usize, tools: &Arc<[Tool]>) {
        if self.is_told(place, tools) {
            return;
        }
        let _turn = self.turn.lock().await;
        if self.is_told(place, tools) {
            return;
        }
        let telling = Arc::clone(self);
        match spawn_blocking(move || telling.tell()).await {
            Ok(Ok(())) => {}
            Ok(Err(problems)) => tracing::error!(
                problems,
                "the policies do not match the current tools: new tools stay hidden"
            ),
            Err(error) => tracing::error!(%error, "policies were not updated for new tools"),
        }
    }

    /// The same, without waiting: governance learns of it soon.
    pub(super) fn soon(self: &Arc<Self>, place: usize, tools: &Arc<[Tool]>) {
        if self.is_told(place, tools) {
            return;
        }
        if let Ok(runtime) = Handle::try_current() {
            let (telling, tools) = (Arc::clone(self), Arc::clone(tools));
            runtime.spawn(async move { telling.of(place, &tools).await });
        }
    }

    /// For how many bindings it learns.
    pub(super) fn count(&self) -> usize {
        self.bindings.len()
    }

    /// Whether it knows all that is known of a binding's tools.
    pub(super) fn knows(&self, place: usize) -> bool {
        self.has(place, self.bindings[place].known_tools().as_ref())
    }

    fn is_told(&self, place: usize, tools: &Arc<[Tool]>) -> bool {
        self.has(place, Some(tools))
    }

    fn has(&self, place: usize, tools: Option<&Arc<[Tool]>>) -> bool {
        let told = self.told.lock();
        told.get(place).is_some_and(|(listed, offered)| {
            let is_same = match (listed, tools) {
                (Some(listed), Some(tools)) => Arc::ptr_eq(listed, tools),
                (None, None) => true,
                _ => false,
            };
            is_same && Arc::ptr_eq(offered, &self.bindings[place].offered())
        })
    }
}
