//! Who asks for what servers have besides tools.

use ampoule::{Principal, Trace};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio_util::sync::CancellationToken;

use super::caller;

/// See the module.
#[derive(Clone)]
pub(crate) struct Asker {
    pub(crate) principal: Option<Principal>,
    /// The client's name, as the client states it.
    pub(crate) client: Option<String>,
    pub(crate) trace: Option<Trace>,
    /// Cancelled where nobody waits for the answer any more.
    pub(crate) given_up: CancellationToken,
}

impl Asker {
    /// The sender of a request.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Self {
        Self {
            principal: caller::principal(context).cloned(),
            client: caller::name(context),
            trace: context.extensions.get::<Trace>().cloned(),
            given_up: context.ct.clone(),
        }
    }

    pub(super) fn principal(&self) -> Option<&Principal> {
        self.principal.as_ref()
    }

    pub(super) fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }
}
